import Primitives
import Synchronization

/// JWS headers by number. A header is 4 KB of certificates, and a handful of them recur in every JWS.
///
/// A header gets its number in memory when evidence is packed. The writer stores it in the log in the same transaction
/// as the first record that needs it. The table is bounded, and only headers of verified chains reach it.
package final class HeaderTable: Sendable {
    package static let limit = 4_096

    private struct State {
        var texts: [[UInt8]] = []
        /// Keyed by `hash(of:)`.
        var numbers: [Int: [UInt16]] = [:]

        mutating func append(_ text: [UInt8], hash: Int) {
            numbers[hash, default: []].append(UInt16(texts.count))
            texts.append(text)
        }
    }

    private let state: Mutex<State>

    /// - Parameter texts: the headers in the log, in the order of their numbers.
    package init(texts: [[UInt8]]) {
        var initial = State()
        for text in texts { initial.append(text, hash: text.withUnsafeBytes(Self.hash(of:))) }
        state = Mutex(initial)
    }

    /// Returns the number of a header, and assigns one to a new header; nil when the table is full.
    func number(of header: ArraySlice<UInt8>) -> UInt16? {
        header.withUnsafeBytes { header in
            let hash = Self.hash(of: header)
            return state.withLock { state in
                let known = state.numbers[hash]?.first { number in
                    state.texts[Int(number)].withUnsafeBytes { equalBytes($0, header) }
                }
                if let known { return known }
                guard state.texts.count < Self.limit else { return nil }
                state.append(Array(header), hash: hash)
                return UInt16(state.texts.count - 1)
            }
        }
    }

    /// Returns a hash of the part in which headers differ, the signing certificate near the front, not of all 4 KB.
    private static func hash(of header: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(header.count)
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: header.prefix(256)))
        return hasher.finalize()
    }

    func text(number: UInt16) -> [UInt8]? {
        state.withLock { $0.texts.indices.contains(Int(number)) ? $0.texts[Int(number)] : nil }
    }

    /// Returns the headers from a number on, which the writer stores in the log.
    func texts(from number: Int) -> ArraySlice<[UInt8]> {
        state.withLock { $0.texts[min(number, $0.texts.count)...] }
    }

    package var count: Int { state.withLock { $0.texts.count } }
}

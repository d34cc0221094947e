import Primitives
import Synchronization

/// JWS headers by number: 4 KB of certificates that a handful of keys repeat in every JWS.
///
/// A header gets its number when evidence is packed, in memory; the writer puts it into the log in the same
/// transaction as the first record that needs it. Only verified chains reach this table, and it is bounded besides.
package final class HeaderTable: Sendable {
    package static let limit = 4_096

    private struct State {
        var numbers: [HeaderText: UInt16] = [:]
        var texts: [[UInt8]] = []
    }

    private let state: Mutex<State>

    /// - Parameter texts: those in the log, in the order of their numbers.
    package init(texts: [[UInt8]]) {
        var initial = State(texts: texts)
        for (number, text) in texts.enumerated() { initial.numbers[HeaderText(bytes: text)] = UInt16(number) }
        state = Mutex(initial)
    }

    /// The number of a header, a new one if need be; nil when the table is full.
    func number(of header: ArraySlice<UInt8>) -> UInt16? {
        let text = HeaderText(bytes: Array(header))
        return state.withLock { state in
            if let number = state.numbers[text] { return number }
            guard state.texts.count < Self.limit else { return nil }
            let number = UInt16(state.texts.count)
            state.numbers[text] = number
            state.texts.append(text.bytes)
            return number
        }
    }

    func text(number: UInt16) -> [UInt8]? {
        state.withLock { $0.texts.indices.contains(Int(number)) ? $0.texts[Int(number)] : nil }
    }

    /// The headers from a number on, for the writer to put into the log.
    func texts(from number: Int) -> ArraySlice<[UInt8]> {
        state.withLock { $0.texts[min(number, $0.texts.count)...] }
    }

    package var count: Int { state.withLock { $0.texts.count } }
}

/// Hashes by what differs between headers, the signing certificate near the front, not by all of their 4 KB.
private struct HeaderText: Hashable {
    let bytes: [UInt8]

    static func == (left: HeaderText, right: HeaderText) -> Bool {
        equalBytes(left.bytes, right.bytes)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        bytes.withUnsafeBytes { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(256)))
        }
    }
}

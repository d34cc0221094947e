import AppStoreModel
package import LedgerModel
package import Primitives

/// The facts of one event as one stored value: its observations, each with its timeline.
///
/// `count u32 ‖ rows of FactCodec`. The customer fact of one of the ledger's own events follows.
package struct EventFacts: Sendable {
    package let observations: [KeyedObservation]
    package let customerFact: CustomerFact?

    private static let countByteCount = 4

    package init(_ observations: [KeyedObservation]) {
        self.observations = observations
        customerFact = nil
    }

    package init(_ customerFact: CustomerFact) {
        observations = []
        self.customerFact = customerFact
    }

    /// The stored form, with the symbols' numbers of this process.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        bytes.appendLittleEndian(UInt32(observations.count))
        for keyed in observations { FactCodec.append(keyed, to: &bytes) }
        customerFact?.append(to: &bytes)
        return bytes
    }

    /// - Parameter symbols: the numbers that the bytes hold.
    /// - Returns: nil when the bytes are of another version or damaged.
    package init?(bytes: [UInt8], symbols: SymbolNumbers = .process, position: Position, recordedAt: Instant) {
        self.init(bytes.span.bytes, symbols: symbols, position: position, recordedAt: recordedAt)
    }

    init?(_ bytes: RawSpan, symbols: SymbolNumbers, position: Position, recordedAt: Instant) {
        guard bytes.byteCount >= Self.countByteCount else { return nil }
        let count = Int(bytes.littleEndian(at: 0, as: UInt32.self))
        var observations: [KeyedObservation] = []
        var offset = Self.countByteCount
        do {
            for _ in 0..<count {
                let rows = bytes.extracting(offset..<bytes.byteCount)
                guard let length = FactCodec.byteCount(ofFirstIn: rows) else { return nil }
                observations.append(
                    try FactCodec.decode(
                        rows.extracting(0..<length), symbols: symbols, position: position, recordedAt: recordedAt))
                offset += length
            }
        } catch {
            return nil
        }
        if offset == bytes.byteCount {
            customerFact = nil
        } else {
            guard let fact = CustomerFact(bytes.extracting(offset..<bytes.byteCount), position: position) else {
                return nil
            }
            customerFact = fact
        }
        self.observations = observations
    }

    /// Calls `body` with each row of the stored form.
    /// - Throws: `truncated` when a row is not complete; the errors of `body`.
    static func forEachRow(in stored: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        guard stored.byteCount >= countByteCount else { return }
        var offset = countByteCount
        for _ in 0..<stored.littleEndian(at: 0, as: UInt32.self) {
            let rest = stored.extracting(offset..<stored.byteCount)
            guard let length = FactCodec.byteCount(ofFirstIn: rest) else {
                throw FactCodecError(.truncated, expected: "a row", found: "\(rest.byteCount) bytes")
            }
            try body(rest.extracting(0..<length))
            offset += length
        }
    }

    /// Returns the stored form with other numbers for its symbols.
    static func renumbered(_ bytes: [UInt8], _ number: (UInt32) throws -> UInt32) rethrows -> [UInt8] {
        var renumbered = bytes
        guard bytes.count >= countByteCount else { return bytes }
        var offset = countByteCount
        for _ in 0..<bytes.span.bytes.littleEndian(at: 0, as: UInt32.self) {
            guard let length = FactCodec.byteCount(ofFirstIn: bytes.span.bytes.extracting(offset..<bytes.count)) else {
                break
            }
            try FactCodec.renumberSymbols(in: &renumbered, rowAt: offset, number)
            offset += length
        }
        return renumbered
    }
}

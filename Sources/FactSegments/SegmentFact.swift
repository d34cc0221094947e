import AppStoreModel
package import LedgerModel
package import Primitives

/// A fact with the unit that it is folded with.
///
/// A unit is a set of keys that Apple accounts or migrations join. The units of a subject, which customers join, are
/// in one segment, one after the other.
package struct SegmentFact: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case observation(SubscriptionKey, Observation)
        case customerEvent(CustomerFact, recordedAt: Instant)
    }

    /// 16 bytes that name the subject; it is the same whatever the number of partitions.
    package var subject: UInt128
    /// 16 bytes that name the unit.
    package var unit: UInt128
    package var content: Content

    package init(subject: UInt128, unit: UInt128, _ content: Content) {
        (self.subject, self.unit, self.content) = (subject, unit, content)
    }
}

/// The body: `subject 16 bytes ‖ unit 16 bytes ‖ position u64 ‖ recordedAt i64`; then, of an observation, the number (u32) and
/// the texts of its symbols, each after its length (u32), and the row of `FactCodec`, which numbers them in this order;
/// of an event about customers, its stored form.
extension SegmentFact {
    package func append(to writer: inout FrameWriter) {
        switch content {
        case .observation(let key, let observation):
            writer.append(.observation) { bytes in
                let source = observation.source
                appendPlace(source.position, source.recordedAt, to: &bytes)
                Self.append(KeyedObservation(key: .subscription(key), observation: observation), to: &bytes)
            }
        case .customerEvent(let fact, let recordedAt):
            writer.append(.customerEvent) { bytes in
                appendPlace(fact.position, recordedAt, to: &bytes)
                fact.append(to: &bytes)
            }
        }
    }

    private func appendPlace(_ position: Position, _ recordedAt: Instant, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: subject.bigEndianBytes)
        bytes.append(contentsOf: unit.bigEndianBytes)
        bytes.appendLittleEndian(position)
        bytes.appendLittleEndian(recordedAt.milliseconds)
    }

    private static func append(_ keyed: KeyedObservation, to bytes: inout [UInt8]) {
        var row = FactCodec.encode(keyed)
        var numbers: [UInt32] = []
        FactCodec.renumberSymbols(in: &row, rowAt: 0) { number in
            if let index = numbers.firstIndex(of: number) { return UInt32(index) }
            numbers.append(number)
            return UInt32(numbers.count - 1)
        }
        bytes.appendLittleEndian(UInt32(numbers.count))
        for number in numbers { bytes.append(counted: (Symbol(index: number)?.text ?? "").utf8) }
        bytes.append(contentsOf: row)
    }

    /// - Throws: `SegmentError`: `segment_corrupt` for a frame that `append` does not write; `version_unknown` for a fact
    ///   of another version.
    package init(_ frame: Frame) throws(SegmentError) {
        var reader = BodyReader(frame.body)
        let subject = UInt128(bigEndianBytes: try reader.slice(16))
        let unit = UInt128(bigEndianBytes: try reader.slice(16))
        let position = try reader.integer(as: UInt64.self)
        let recordedAt = Instant(milliseconds: try reader.integer(as: Int64.self))
        switch frame.kind {
        case .observation:
            let (key, observation) = try Self.observation(&reader, position, recordedAt)
            self.init(subject: subject, unit: unit, .observation(key, observation))
        case .customerEvent:
            let bytes = reader.rest()
            guard !bytes.isEmpty, let fact = CustomerFact(bytes.span.bytes, position: position) else {
                throw .corrupt("an event about customers is damaged", expected: "its stored form", found: "other bytes")
            }
            self.init(subject: subject, unit: unit, .customerEvent(fact, recordedAt: recordedAt))
        case .header, .sum, .row, .tally, .end:
            throw .corrupt("a frame is out of place", expected: "a fact", found: "a frame of kind \(frame.kind)")
        }
    }

    private static func observation(
        _ reader: inout BodyReader, _ position: Position, _ recordedAt: Instant
    ) throws(SegmentError) -> (SubscriptionKey, Observation) {
        let count = try reader.integer(as: UInt32.self)
        var symbols: [Symbol] = []
        // Every text takes at least four bytes, so the loop ends with the frame at the latest.
        for _ in 0..<count { symbols.append(Symbol(try reader.text())) }
        let row = reader.rest()
        let keyed: KeyedObservation
        do {
            keyed = try FactCodec.decode(
                row.span.bytes, symbols: SymbolNumbers(symbols), position: position, recordedAt: recordedAt)
        } catch {
            throw SegmentError(
                error.code == .versionUnknown ? .versionUnknown : .corrupt, "a fact cannot be decoded",
                expected: error.expected, found: error.found)
        }
        guard case .subscription(let key) = keyed.key else {
            throw .corrupt("a fact is about no subscription", expected: "a subscription key", found: "an account")
        }
        return (key, keyed.observation)
    }
}

extension UInt128 {
    /// - Parameter bytes: 16 bytes.
    fileprivate init(bigEndianBytes bytes: ArraySlice<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}

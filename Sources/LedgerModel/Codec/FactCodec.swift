package import Primitives

/// The binary form of an observation with its timeline. It is stored beside the log and can be derived again from the
/// evidence.
///
/// `byteCount u32 ‖ version u8 ‖ kind u8 ‖ rank u8 ‖ keyKind u8 ‖ present u64 ‖ symbolCount u32 ‖ symbols ‖ words`, all
/// little-endian. A text is a symbol's number (u32); everything else takes words of 8 bytes. The key, the name and the
/// time come first, then the fields in the order of their tags. `present` has the bit of every tag, so absent fields
/// take no space, and every observation has exactly one form. The position and recordedAt of the event are not
/// repeated. A typical transaction takes about 200 bytes.
/// Identifiers that join keys have the first tags, and the product the next, so that `FactHeader` and `ProductHeader`
/// read them without the rest.
package enum FactCodec {
    /// The version of the encoding. Facts of any other version are refused and must be rebuilt from the log.
    package static let version: UInt8 = 8

    static let symbolsOffset = 20
    private static let symbolCountOffset = 16

    package static func append(_ keyed: KeyedObservation, to bytes: inout [UInt8]) {
        let (source, fact) = (keyed.observation.source, keyed.observation.fact)
        var writer = FactWriter()
        let keyKind = writer.key(keyed.key)
        if source.name.path != .empty { writer.field(0, source.name.path) }
        writer.digest(source.name.digest)
        writer.integer(source.time.milliseconds)
        switch fact {
        case .transaction(let fact): fact.encode(to: &writer)
        case .renewal(let fact): fact.encode(to: &writer)
        case .notification(let fact): fact.encode(to: &writer)
        case .app(let fact): fact.encode(to: &writer)
        }
        bytes.appendLittleEndian(UInt32(symbolsOffset + writer.byteCount))
        bytes += [version, Kind(fact).rawValue, source.rank.rawValue, keyKind]
        writer.append(to: &bytes)
    }

    package static func encode(_ keyed: KeyedObservation) -> [UInt8] {
        var bytes: [UInt8] = []
        append(keyed, to: &bytes)
        return bytes
    }

    /// Returns the length of the first row of `rows`; nil when it is truncated.
    package static func byteCount(ofFirstIn rows: RawSpan) -> Int? {
        guard rows.byteCount >= symbolsOffset else { return nil }
        let count = Int(rows.littleEndian(at: 0, as: UInt32.self))
        return count >= symbolsOffset && count <= rows.byteCount ? count : nil
    }

    /// - Parameters:
    ///   - row: exactly one row.
    ///   - symbols: the numbers that the row holds.
    ///   - position: the position of the event that carries the observation.
    ///   - recordedAt: the time the ledger recorded that event.
    /// - Throws: `FactCodecError` for any bytes that `append` does not produce.
    package static func decode(
        _ row: RawSpan, symbols: SymbolNumbers = .process, position: Position, recordedAt: Instant
    ) throws(FactCodecError) -> KeyedObservation {
        let (kind, rank) = try kindAndRank(row)
        var reader = try FactReader(row, symbols: symbols)
        let key = try reader.key(kind: row.byte(at: 7))
        let source = try reader.source(rank, position: position, recordedAt: recordedAt)
        let fact: Fact =
            switch kind {
            case .transaction: .transaction(try TransactionFact(from: &reader))
            case .renewal: .renewal(try RenewalFact(from: &reader))
            case .notification: .notification(try NotificationFact(from: &reader))
            case .app: .app(try AppFact(from: &reader))
            }
        try reader.finish()
        return KeyedObservation(key: key, observation: Observation(source: source, fact: fact))
    }

    /// Decodes a row about a known subscription key into the lists of that key.
    /// - Throws: the errors of `decode`.
    package static func decode(
        _ row: RawSpan, symbols: SymbolNumbers, position: Position, recordedAt: Instant,
        into lists: inout ObservationLists
    ) throws(FactCodecError) {
        let (kind, rank) = try kindAndRank(row)
        var reader = try FactReader(row, symbols: symbols)
        _ = (try reader.symbolNumber(), try reader.symbolNumber(), try reader.idNumber())
        let source = try reader.source(rank, position: position, recordedAt: recordedAt)
        switch kind {
        case .transaction: lists.append(source, try TransactionFact(from: &reader))
        case .renewal: lists.append(source, try RenewalFact(from: &reader))
        case .notification: lists.append(source, try NotificationFact(from: &reader))
        case .app: _ = try AppFact(from: &reader)
        }
        try reader.finish()
    }

    /// Returns the key of a row about a subscription.
    /// - Throws: the errors of `decode`; `malformed` for a row about a download of the app.
    package static func key(of row: RawSpan, _ symbols: SymbolNumbers) throws(FactCodecError) -> SubscriptionKey {
        _ = try kindAndRank(row)
        var reader = try FactReader(row, symbols: symbols)
        guard case .subscription(let key) = try reader.key(kind: row.byte(at: 7)) else {
            throw FactCodecError(.malformed, expected: "a subscription key", found: "an account")
        }
        return key
    }

    private static func kindAndRank(_ row: RawSpan) throws(FactCodecError) -> (Kind, SourceRank) {
        guard byteCount(ofFirstIn: row) == row.byteCount else {
            throw FactCodecError(.truncated, expected: "one row", found: "\(row.byteCount) bytes")
        }
        guard row.byte(at: 4) == version else {
            throw FactCodecError(.versionUnknown, expected: "\(version)", found: "\(row.byte(at: 4))")
        }
        guard let kind = Kind(rawValue: row.byte(at: 5)), let rank = SourceRank(rawValue: row.byte(at: 6)) else {
            throw FactCodecError(
                .malformed, expected: "a kind from 1 to 4 and a rank from 1 to 5",
                found: "\(row.byte(at: 5)) and \(row.byte(at: 6))")
        }
        return (kind, rank)
    }

    /// Replaces the numbers of the symbols in the row that begins at `start`.
    /// - Precondition: `append` wrote the row.
    package static func renumberSymbols(
        in bytes: inout [UInt8], rowAt start: Int, _ number: (UInt32) throws -> UInt32
    ) rethrows {
        let count = Int(bytes.span.bytes.littleEndian(at: start + symbolCountOffset, as: UInt32.self))
        for index in 0..<count {
            let offset = start + symbolsOffset + 4 * index
            let renumbered = try number(bytes.span.bytes.littleEndian(at: offset, as: UInt32.self))
            for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: renumbered >> (8 * UInt32(byte))) }
        }
    }

    enum Kind: UInt8 {
        case transaction = 1
        case renewal = 2
        case notification = 3
        case app = 4

        init(_ fact: Fact) {
            switch fact {
            case .transaction: self = .transaction
            case .renewal: self = .renewal
            case .notification: self = .notification
            case .app: self = .app
            }
        }
    }
}

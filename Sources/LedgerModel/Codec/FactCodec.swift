package import Primitives

/// The compact binary form of an observation. It is stored beside the log and can be derived again from the evidence.
///
/// `version ‖ kind ‖ rank ‖ digest (32) ‖ path ‖ time ‖ fields`. A field is a tag byte and its value. Tags ascend, and
/// only item revocations repeat theirs, so absent fields take no space and every observation has exactly one form. The
/// fields of a transaction follow its transactionId, which has no tag. Numbers and dates are zigzag LEB128; strings are
/// UTF-8 after their length. The position and recordedAt of the event are not repeated. A typical transaction takes
/// about 200 bytes.
package enum FactCodec {
    /// The version of the encoding. Facts of any other version are refused and must be rebuilt from the log.
    package static let version: UInt8 = 3

    package static func encode(_ observation: Observation) -> [UInt8] {
        var writer = FactWriter()
        writer.byte(version)
        writer.byte(Kind(observation.fact).rawValue)
        writer.byte(observation.source.rank.rawValue)
        writer.digest(observation.source.name.digest)
        writer.string(observation.source.name.path.text)
        writer.integer(observation.source.time.milliseconds)
        switch observation.fact {
        case .transaction(let fact): fact.encode(to: &writer)
        case .renewal(let fact): fact.encode(to: &writer)
        case .notification(let fact): fact.encode(to: &writer)
        case .app(let fact): fact.encode(to: &writer)
        }
        return writer.bytes
    }

    /// - Parameters:
    ///   - position: the position of the event that carries the observation.
    ///   - recordedAt: the time the ledger recorded that event.
    /// - Throws: `FactCodecError` for any bytes that `encode` does not produce.
    package static func decode(
        _ bytes: [UInt8], position: Position, recordedAt: Instant
    ) throws(FactCodecError) -> Observation {
        var reader = FactReader(bytes)
        let found = try reader.byte()
        guard found == version else { throw FactCodecError(.versionUnknown, expected: "\(version)", found: "\(found)") }
        let kindByte = try reader.byte()
        guard let kind = Kind(rawValue: kindByte) else {
            throw FactCodecError(.malformed, expected: "a kind from 1 to 4", found: "\(kindByte)")
        }
        let rankByte = try reader.byte()
        guard let rank = SourceRank(rawValue: rankByte) else {
            throw FactCodecError(.malformed, expected: "a source rank from 1 to 5", found: "\(rankByte)")
        }
        let name = ObservationName(digest: try reader.digest(), path: Symbol(try reader.string()))
        let time = Instant(milliseconds: try reader.integer())
        let fact: Fact =
            switch kind {
            case .transaction: .transaction(try TransactionFact(from: &reader))
            case .renewal: .renewal(try RenewalFact(from: &reader))
            case .notification: .notification(try NotificationFact(from: &reader))
            case .app: .app(try AppFact(from: &reader))
            }
        try reader.finish()
        let source = Source(name: name, time: time, rank: rank, position: position, recordedAt: recordedAt)
        return Observation(source: source, fact: fact)
    }

    private enum Kind: UInt8 {
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

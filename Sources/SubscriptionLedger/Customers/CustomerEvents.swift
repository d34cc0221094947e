import AppStoreModel
import EventLog
import LedgerModel
import Primitives
import ProjectionRuntime

/// The ledger's own events about customers: how they are written, and what they say.
enum CustomerEvents {
    /// - Parameters:
    ///   - claim: its position is not known yet.
    ///   - newest: the newest claim to the key, when the customer has one there already and makes a stronger or a
    ///     later one; it tells the two apart.
    static func linked(_ claim: Claim, after newest: Position?, source: EventSource) -> EventDraft {
        let key = linkKey(claim) + (newest.map { suffix(.customerLinked, $0) } ?? [])
        return draft(
            .customerLinked, source, environment: claim.key.environment, identity: key, body: members(of: claim),
            facts: EventFacts(.claim(claim)))
    }

    /// - Parameters:
    ///   - code: why it was refused.
    ///   - newest: the newest claim to the key: the same claim is refused once while nothing changes.
    static func refused(_ claim: Claim, code: String, after newest: Position?, source: EventSource) -> EventDraft {
        draft(
            .linkRefused, source, environment: claim.key.environment,
            identity: linkKey(claim) + suffix(.linkRefused, newest ?? .max),
            body: members(of: claim) + [.init("code", .string(code))], facts: nil)
    }

    static func merged(_ merge: Merge, by: String, source: EventSource) -> EventDraft {
        draft(
            .customersMerged, source, environment: nil, identity: merge.customer.bytes + merge.into.bytes,
            body: [
                .init("handle", .string(merge.customer.hex)), .init("into", .string(merge.into.hex)),
                .init("by", .string(by)),
            ],
            facts: EventFacts(.merge(merge)))
    }

    private static func draft(
        _ kind: EventKind, _ source: EventSource, environment: Environment?, identity: [UInt8],
        body: [JSONValue.Member], facts: EventFacts?
    ) -> EventDraft {
        let environment = environment.flatMap { EnvironmentCode(name: $0.rawValue) } ?? .none
        return EventDraft(
            kind: kind, source: source, environment: environment, artifact: .none, trust: .own,
            identity: Identity(artifact: .none, environment: environment, key: identity),
            // Nothing was verified.
            verifiedAt: Instant(milliseconds: 0), body: JSONValue.object(body).canonical(), facts: facts?.bytes ?? [],
            indexTerms: facts?.indexTerms ?? [])
    }

    private static func linkKey(_ claim: Claim) -> [UInt8] {
        let parts = [claim.key.environment.rawValue, claim.key.bundleId, claim.key.originalTransactionId]
        return claim.customer.bytes + Digest.sha256(of: JSONValue.array(parts.map { .string($0) }).canonical()).bytes
    }

    private static func suffix(_ kind: EventKind, _ newest: Position) -> [UInt8] {
        [kind.rawValue] + withUnsafeBytes(of: newest.bigEndian) { Array($0) }
    }

    private static func members(of claim: Claim) -> [JSONValue.Member] {
        [
            .init("handle", .string(claim.customer.hex)),
            .init("environment", .string(claim.key.environment.rawValue)),
            .init("bundleId", .string(claim.key.bundleId)),
            .init("originalTransactionId", .string(claim.key.originalTransactionId)),
            .init("by", .string(claim.by.name)),
        ]
    }
}

extension CustomerEvents {
    /// The longest key that a body can name, whatever has to be escaped in it.
    static let keyByteLimit = 512

    /// Nil for other kinds, and for what only a later version says.
    static func fact(in record: Record) -> CustomerFact? {
        guard record.kind == .customerLinked || record.kind == .customersMerged,
            let body = try? JSONDocument(parsing: record.body).root,
            let customer = body["handle"]?.string.flatMap({ CustomerHandle(hex: $0) })
        else { return nil }
        if record.kind == .customersMerged {
            return body["into"]?.string.flatMap { CustomerHandle(hex: $0) }.map {
                .merge(Merge(customer: customer, into: $0, position: record.position))
            }
        }
        guard let environment = body["environment"]?.string, let bundleId = body["bundleId"]?.string,
            let id = body["originalTransactionId"]?.string,
            let by = body["by"]?.string.flatMap(Claim.Authority.init(name:))
        else { return nil }
        let key = SubscriptionKey(
            environment: Environment(rawValue: environment), bundleId: bundleId, originalTransactionId: id)
        return .claim(Claim(key: key, customer: customer, by: by, position: record.position))
    }
}

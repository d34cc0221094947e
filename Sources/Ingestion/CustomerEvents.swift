import AppStoreModel
package import EventLog
import FactStore
package import LedgerModel
package import Primitives

/// The origin of one of the ledger's own events: its source, and the configured name of the API key that caused it.
package struct EventOrigin: Sendable {
    package let source: EventSource
    package let keyName: String?

    package init(source: EventSource, keyName: String?) {
        self.source = source
        self.keyName = keyName
    }
}

/// Encodes and decodes the ledger's own events about customers.
package enum CustomerEvents {
    /// - Parameters:
    ///   - claim: the claim; its position is ignored.
    ///   - newest: the newest decision about the key if the customer has claimed it before, else nil. It distinguishes
    ///     the idempotency key of the new claim from that of the earlier one.
    package static func linked(_ claim: Claim, after newest: Position?, _ origin: EventOrigin) -> EventDraft {
        let idempotencyKey = linkKey(claim) + (newest.map { suffix(.customerLinked, $0) } ?? [])
        return draft(
            .customerLinked, origin, environment: claim.key.environment, idempotencyKey: idempotencyKey,
            body: members(of: claim), fact: .claim(claim))
    }

    /// - Parameter claim: the claim; its position is ignored.
    package static func linked(_ claim: DownloadClaim, _ origin: EventOrigin) -> EventDraft {
        let account = claim.account
        let names = ["app", account.environment.rawValue, account.bundleId] + account.account.names + [claim.by.name]
        let content = Digest.sha256(of: JSONValue.array(names.map { .string($0) }).canonical()).bytes
        return draft(
            .customerLinked, origin, environment: account.environment,
            idempotencyKey: claim.customer.bytes + content,
            body: [
                .init("handle", .string(claim.customer.hex)), .init("environment", .string(names[1])),
                .init("bundleId", .string(names[2])),
            ] + account.account.members + [.init("by", .string(claim.by.name))],
            fact: .download(claim))
    }

    /// The code of a claim that is refused because another customer owns the purchase.
    package static let linkRefusedCode = "link_refused"

    /// - Parameters:
    ///   - remedy: advice for an operator, stored with the event.
    ///   - newest: the newest decision about the key. Until a newer one, the same claim is refused once.
    package static func refused(
        _ claim: Claim, remedy: String, after newest: Position?, _ origin: EventOrigin
    ) -> EventDraft {
        draft(
            .linkRefused, origin, environment: claim.key.environment,
            idempotencyKey: linkKey(claim) + suffix(.linkRefused, newest ?? .max),
            body: members(of: claim) + [
                .init("code", .string(linkRefusedCode)),
                .init("remedy", .string(remedy)),
            ],
            fact: .refusedClaim(claim))
    }

    /// - Parameter newest: the newest decision about the key.
    package static func transferred(_ transfer: Transfer, after newest: Position?, _ origin: EventOrigin) -> EventDraft
    {
        draft(
            .subscriptionTransferred, origin, environment: transfer.key.environment,
            idempotencyKey: transfer.customer.bytes + keyDigest(transfer.key)
                + suffix(.subscriptionTransferred, newest ?? .max),
            body: [.init("handle", .string(transfer.customer.hex))] + members(of: transfer.key),
            fact: .transfer(transfer))
    }

    /// - Parameters:
    ///   - role: the role of the caller that merged them.
    ///   - undone: the position of the newest unmerge of the merged customer.
    package static func merged(_ merge: Merge, by role: String, after undone: Position?, _ origin: EventOrigin)
        -> EventDraft
    {
        let idempotencyKey =
            merge.customer.bytes + merge.into.bytes + (undone.map { suffix(.customersMerged, $0) } ?? [])
        return draft(
            .customersMerged, origin, environment: nil, idempotencyKey: idempotencyKey,
            body: members(merge.customer, merge.into, by: role), fact: .directory(.merge(merge)))
    }

    /// - Parameter merge: the merge that is undone.
    package static func unmerged(_ unmerge: Unmerge, of merge: Merge, by role: String, _ origin: EventOrigin)
        -> EventDraft
    {
        draft(
            .customersUnmerged, origin, environment: nil,
            idempotencyKey: unmerge.customer.bytes + unmerge.into.bytes + suffix(.customersUnmerged, merge.position),
            body: members(unmerge.customer, unmerge.into, by: role), fact: .directory(.unmerge(unmerge)))
    }

    /// The token is the event's evidence, so that it can be erased.
    /// - Parameter afterErasure: whether the token may have been mapped to a customer that was erased. The idempotency key
    ///   then names the new customer, too.
    package static func mapped(
        _ mapping: TokenMapping, afterErasure: Bool = false, _ origin: EventOrigin
    ) -> EventDraft {
        draft(
            .tokenMapped, origin, environment: nil,
            idempotencyKey: Array(mapping.token.text.utf8) + (afterErasure ? mapping.customer.bytes : []),
            body: [.init("handle", .string(mapping.customer.hex))], identifiers: Identifiers(mapping.token),
            fact: .token(mapping))
    }

    /// - Parameters:
    ///   - grant: the grant; its position is ignored.
    ///   - newest: the newest grant to the customer. It distinguishes the idempotency key of an equal grant made later.
    package static func granted(
        _ grant: EntitlementGrant, by role: String, after newest: Position?, _ origin: EventOrigin
    ) -> EventDraft {
        let body: [JSONValue.Member] = [
            .init("handle", .string(grant.customer.hex)), .init("entitlement", .string(grant.entitlement.text)),
            .init("from", .string(grant.from.iso8601)), .init("until", JSONValue(grant.until)),
            .init("because", .string(grant.because)), .init("by", .string(role)),
        ]
        let content = Digest.sha256(of: JSONValue.object(body).canonical()).bytes
        return draft(
            .entitlementGranted, origin, environment: nil,
            idempotencyKey: content + suffix(.entitlementGranted, newest ?? .max), body: body, fact: .grant(grant))
    }

    /// - Parameters:
    ///   - consent: the consent; its position is ignored.
    ///   - newest: the newest consent of the customer.
    package static func recorded(
        _ consent: ConsumptionConsent, by role: String, after newest: Position?, _ origin: EventOrigin
    ) -> EventDraft {
        draft(
            .consentRecorded, origin, environment: nil,
            idempotencyKey: consent.customer.bytes + suffix(.consentRecorded, newest ?? .max),
            body: [
                .init("handle", .string(consent.customer.hex)), .init("consented", .bool(consent.isGiven)),
                .init("by", .string(role)),
            ], fact: .consent(consent))
    }

    private static func draft(
        _ kind: EventKind, _ origin: EventOrigin, environment: Environment?, idempotencyKey: [UInt8],
        body: [JSONValue.Member], identifiers: Identifiers? = nil, fact: CustomerFact
    ) -> EventDraft {
        let environment = environment.flatMap { EnvironmentCode(name: $0.rawValue) } ?? .none
        let facts = EventFacts(fact)
        let key = origin.keyName.map { [JSONValue.Member("key", .string($0))] } ?? []
        return EventDraft(
            kind: kind, source: origin.source, environment: environment,
            artifact: identifiers == nil ? .none : .identifiers, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .none, environment: environment, key: idempotencyKey),
            evidence: identifiers?.evidence ?? .none,
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: JSONValue.object(body + key).canonical(),
            attachment: IndexedFacts(facts))
    }

    private static func linkKey(_ claim: Claim) -> [UInt8] { claim.customer.bytes + keyDigest(claim.key) }

    private static func keyDigest(_ key: SubscriptionKey) -> [UInt8] {
        let parts = [key.environment.rawValue, key.bundleId, key.originalTransactionId]
        return Digest.sha256(of: JSONValue.array(parts.map { .string($0) }).canonical()).bytes
    }

    private static func suffix(_ kind: EventKind, _ newest: Position) -> [UInt8] {
        [kind.rawValue] + newest.bigEndianBytes
    }

    private static func members(of claim: Claim) -> [JSONValue.Member] {
        [.init("handle", .string(claim.customer.hex))] + members(of: claim.key) + [.init("by", .string(claim.by.name))]
    }

    private static func members(of key: SubscriptionKey) -> [JSONValue.Member] {
        [
            .init("environment", .string(key.environment.rawValue)), .init("bundleId", .string(key.bundleId)),
            .init("originalTransactionId", .string(key.originalTransactionId)),
        ]
    }

    private static func members(
        _ customer: CustomerHandle, _ into: CustomerHandle, by role: String
    ) -> [JSONValue.Member] {
        [.init("handle", .string(customer.hex)), .init("into", .string(into.hex)), .init("by", .string(role))]
    }
}

extension CustomerEvents {
    /// The maximum length of a subscription key in bytes. It fits into the body of an event even when every byte is
    /// escaped.
    package static let keyByteLimit = 512

    /// Whether an event about a download has room for its ids.
    package static func canName(_ account: AppAccountKey) -> Bool {
        let texts = [account.environment.rawValue, account.bundleId] + account.account.names
        return texts.reduce(0) { $0 + $1.utf8.count } <= keyByteLimit
    }

    /// Returns the fact in an event about customers; nil for other kinds, and for an event that only a later version
    /// can read.
    /// - Parameter evidence: that of a mapping has the token. Earlier versions stored the token in the body.
    package static func fact(in record: Record, _ evidence: [UInt8]) -> CustomerFact? {
        let kinds: [EventKind] = [
            .customerLinked, .customersMerged, .linkRefused, .subscriptionTransferred, .customersUnmerged,
            .tokenMapped, .entitlementGranted, .consentRecorded,
        ]
        guard kinds.contains(record.kind), let body = try? JSONDocument(parsing: record.body).root,
            let customer = body["handle"]?.string.flatMap({ CustomerHandle(hex: $0) })
        else { return nil }
        let into = body["into"]?.string.flatMap { CustomerHandle(hex: $0) }
        let by = body["by"]?.string.flatMap(Claim.Authority.init(name:))
        switch record.kind {
        case .customersMerged:
            guard let into, let by else { return nil }
            return .directory(.merge(Merge(customer: customer, into: into, by: by, position: record.position)))
        case .customersUnmerged:
            return into.map {
                .directory(.unmerge(Unmerge(customer: customer, into: $0, position: record.position)))
            }
        case .tokenMapped:
            let token = Identifiers(evidence)?.token ?? body["appAccountToken"]?.string.flatMap(AppAccountToken.init)
            return token.map {
                .token(TokenMapping(token: $0, customer: customer, position: record.position))
            }
        case .consentRecorded:
            return body["consented"]?.bool.map {
                .consent(ConsumptionConsent(customer: customer, isGiven: $0, position: record.position))
            }
        case .entitlementGranted: return grant(to: customer, in: body, at: record.position).map { .grant($0) }
        case .subscriptionTransferred:
            return key(in: body).map { .transfer(Transfer(key: $0, customer: customer, position: record.position)) }
        default:
            guard let by else { return nil }
            if record.kind == .customerLinked, let account = account(in: body) {
                return .download(
                    DownloadClaim(account: account, customer: customer, by: by, position: record.position))
            }
            guard let key = key(in: body) else { return nil }
            let claim = Claim(key: key, customer: customer, by: by, position: record.position)
            return record.kind == .linkRefused ? .refusedClaim(claim) : .claim(claim)
        }
    }

    private static func account(in body: JSONView) -> AppAccountKey? {
        guard let environment = body["environment"]?.string, let bundleId = body["bundleId"]?.string,
            let account = AppAccountKey.Account(body)
        else { return nil }
        return AppAccountKey(
            environment: Environment(rawValue: environment), bundleId: bundleId, account: account)
    }

    private static func grant(
        to customer: CustomerHandle, in body: JSONView, at position: Position
    ) -> EntitlementGrant? {
        guard let entitlement = body["entitlement"]?.string, let because = body["because"]?.string,
            let from = body["from"]?.string.flatMap({ Instant(iso8601: $0) }), let end = body["until"]
        else { return nil }
        let until = end.string.flatMap { Instant(iso8601: $0) }
        guard end.isNull || until != nil else { return nil }
        return EntitlementGrant(
            customer: customer, entitlement: Symbol(entitlement), from: from, until: until, because: because,
            position: position)
    }

    private static func key(in body: JSONView) -> SubscriptionKey? {
        guard let environment = body["environment"]?.string, let bundleId = body["bundleId"]?.string,
            let id = body["originalTransactionId"]?.string
        else { return nil }
        return SubscriptionKey(
            environment: Environment(rawValue: environment), bundleId: bundleId, originalTransactionId: id)
    }
}

extension AppAccountKey.Account {
    /// The texts that name the account.
    fileprivate var names: [String] {
        switch self {
        case .appTransaction(let id): [id.text]
        case .firstDownload(let instant, let version): [instant.iso8601, version.text]
        }
    }

    /// The members of the body of an event, under Apple's names.
    fileprivate var members: [JSONValue.Member] {
        switch self {
        case .appTransaction: [.init("appTransactionId", .string(names[0]))]
        case .firstDownload:
            [
                .init("originalPurchaseDate", .string(names[0])),
                .init("originalApplicationVersion", .string(names[1])),
            ]
        }
    }

    /// - Returns: nil for a body about something else than a download.
    fileprivate init?(_ body: JSONView) {
        if let id = body["appTransactionId"]?.string {
            self = .appTransaction(AppleID(id))
        } else if let date = body["originalPurchaseDate"]?.string.flatMap({ Instant(iso8601: $0) }),
            let version = body["originalApplicationVersion"]?.string
        {
            self = .firstDownload(at: date, version: Symbol(version))
        } else {
            return nil
        }
    }
}

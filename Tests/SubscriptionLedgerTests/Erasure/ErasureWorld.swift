import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import FoundationEssentials
import Ingestion
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

/// A ledger with a person to erase, and others who share some evidence with the person.
///
/// alice has the subscriptions 1 (with a token) and 2 (without one), bob has 3, and carol has 4, which alice's family
/// shares with her.
final class ErasureWorld {
    static let alice = "alice@example.com"
    static let tokens = (alice: token("a"), bob: token("b"))
    static let accounts = (alice: "704897469903383001", bob: "704897469903383002")
    static let keys = ["1", "2", "3", "4"]

    let shop: TestLedger
    /// The event of an answer with purchases of alice, with her token, and of bob.
    let shared: Position
    /// The event of an answer with a purchase of alice without a token, and of bob's.
    let kept: Position

    init() async throws {
        let shop = try TestLedger()
        self.shop = shop
        let first = Purchase("1", token: Self.tokens.alice, account: Self.accounts.alice)
        try await shop.post(first, Purchase("2", account: Self.accounts.alice), customerId: Self.alice)
        try await shop.post(
            Purchase("3", token: Self.tokens.bob, account: Self.accounts.bob), customerId: "bob")
        try await shop.post(
            Purchase("4", token: Self.tokens.alice, isFamilyShared: true), customerId: "carol")
        try await shop.ingest(Self.notification("1", about: first))
        try await shop.ingest(
            Self.notification(
                "2", about: Purchase("1", number: 2, token: Self.tokens.alice, account: Self.accounts.alice)))
        try await shop.ingest(Self.notification("3", about: Purchase("3", number: 2, token: Self.tokens.bob)))
        shared = try await shop.answer([
            Purchase("1", number: 3, token: Self.tokens.alice), Purchase("3", number: 3, token: Self.tokens.bob),
        ])
        kept = try await shop.answer([Purchase("2", number: 2), Purchase("3", number: 4)])
        _ = try await shop.ledger.grant(
            GrantRequest(entitlement: "gold", until: nil, because: "a gift"), to: Self.alice, by: .admin,
            scope: CustomerScope(), source: .operator)
    }

    /// A notification with a purchase. Its retries have the same number and other copies.
    static func notification(_ number: String, about purchase: Purchase, copy: Int = 1) -> String {
        let uuid = "00000000-0000-4000-8000-\(String(repeating: "0", count: 12 - number.count))\(number)"
        return JWSSigner(.standard).sign(
            .object([
                .init("notificationType", .string("DID_RENEW")), .init("notificationUUID", .string(uuid)),
                .init(
                    "data",
                    .object([
                        .init("bundleId", .string(purchase.bundleId)),
                        .init("environment", .string(purchase.environment.rawValue)),
                        .init("signedTransactionInfo", .string(purchase.text)),
                    ])), .init("version", .string("2.0")),
                .init("signedDate", .integer(purchase.signedAt + Int64(copy))),
            ])
        ).text
    }

    func erase(_ id: String = alice, withEvidence: Bool = true) async throws -> ErasureAnswer {
        try await shop.ledger.erase(id, withEvidence: withEvidence, by: .admin, source: .operator)
    }

    /// The answers about every subscription, which no erasure changes.
    func subscriptions(knownAt size: Position? = nil) throws -> [String] {
        try Self.keys.flatMap { id -> [String] in
            let question = AsOfQuery(asOf: TestLedger.now, knownAt: size.map(AsOfQuery.KnownAt.size))
            let selector = SubscriptionSelector(originalTransactionId: id)
            let state = try #require(try shop.reader.state(of: selector, question)).json.apartFromKnownAt
            let history = try #require(
                try shop.reader.history(of: selector, question, explained: true)
            ).json.apartFromKnownAt
            return [state, history]
        }
    }

    /// The facts of the first events, without what an erasure takes from them.
    func facts(below size: Position) throws -> [[UInt8]] {
        let pseudonyms = Pseudonyms(without: Set([Self.tokens.alice].compactMap { AppAccountToken($0) }), accounts: [:])
        return try (0..<size).map { position in
            let facts = try shop.reader.facts.facts(at: position)?.facts?.observations ?? []
            return facts.flatMap { keyed in FactCodec.encode(pseudonyms.applied(to: keyed).withoutAccount) }
        }
    }

    /// Audits the ledger while it is closed.
    func audit(signatures: Bool = false) async throws -> AuditReport {
        let configuration = shop.ledger.configuration
        var options = LedgerAudit.Options()
        options.deep = true
        if signatures { options.signatures = configuration.trust }
        shop.close()
        let report = try await LedgerAudit(configuration, options).run { _ in }
        try shop.open()
        return report
    }

    /// Whether a token stands in any file of the folder, as text or as the bytes of its UUID.
    func isStored(_ token: String) throws -> Bool {
        let uuid = try #require(UUIDBytes(token))
        let forms: [[UInt8]] = [
            Array(token.utf8), Array(token.uppercased().utf8), uuid.value.bigEndianBytes,
            uuid.value.bigEndianBytes.reversed(), uuid.words,
        ]
        for path in try FileManager.default.subpathsOfDirectory(atPath: shop.folder.path) {
            let file = [UInt8](FileManager.default.contents(atPath: shop.folder.path + "/" + path) ?? Data())
            if forms.contains(where: { file.contains($0) }) { return true }
        }
        return false
    }
}

extension UUIDBytes {
    /// The form of stored facts: two little-endian words, the upper one first.
    fileprivate var words: [UInt8] {
        let bytes = value.bigEndianBytes
        return bytes.prefix(8).reversed() + bytes.suffix(8).reversed()
    }
}

extension KeyedObservation {
    /// The observation with the same id in place of any appTransactionId.
    fileprivate var withoutAccount: KeyedObservation {
        guard let account = appleAccount else { return self }
        return Pseudonyms(without: [], accounts: [account: AppleID("1")]).applied(to: self)
    }
}

extension JSONValue {
    /// The text of an answer without its log size.
    fileprivate var apartFromKnownAt: String {
        guard case .object(let members) = self else { return serialized() }
        return JSONValue.object(members.filter { $0.key != "knownAt" }).serialized()
    }
}

extension TestLedger {
    /// Ingests an artifact as an archive does.
    @discardableResult
    func ingest(_ artifact: String) async throws -> AppendResult {
        let checked = await ledger.check(Array(artifact.utf8), source: .file)
        guard case .appended(let appended) = try await ledger.append([checked], source: .file)[0] else {
            preconditionFailure("test artifacts verify")
        }
        return appended
    }

    /// Records an answer of the App Store Server API with these transactions.
    func answer(_ purchases: [Purchase]) async throws -> Position {
        let rows = purchases.map { purchase in
            JSONValue.object([
                .init("originalTransactionId", .string(purchase.id)), .init("status", .integer(1)),
                .init("signedTransactionInfo", .string(purchase.text)),
            ])
        }
        let group = JSONValue.object(["subscriptionGroupIdentifier": .string("1"), "lastTransactions": .array(rows)])
        let body = JSONValue.object([
            "environment": .string("Production"), "bundleId": .string(Purchase.bundleId), "data": .array([group]),
        ])
        let question = ServerAPIQuestion(
            .subscriptionStatuses, target: "/inApps/v1/subscriptions/\(purchases[0].id)", bundleId: Purchase.bundleId,
            environment: .production)
        guard
            case .recorded(let event, _) = try await ledger.record(
                Array(body.serialized().utf8), to: question, source: .poll)
        else { preconditionFailure("test answers are recorded") }
        return event.position
    }
}

import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FoundationEssentials
import Ingestion
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import SubscriptionStatus

/// A ledger in its own folder, for one app whose purchases the simulation signs.
final class TestLedger {
    /// The ledger's clock: 2026-01-15T12:00:00Z.
    static let now = Instant(milliseconds: 1_768_478_400_000)

    let folder: DataFolder
    private let configuration: Ledger.Configuration
    private var opened: LedgerWriter?
    private var reading: LedgerReader?

    /// - Parameter secrets: the shared secrets of the app.
    init(claimConflict: Rules.Customers.ClaimConflict = .keepFirst, secrets: [String] = []) throws {
        let path = FileManager.default.temporaryDirectory.path + "/subledger-\(UUID().uuidString)"
        folder = DataFolder(path: path)
        var configuration = Ledger.Configuration(folder: folder) { TestLedger.now }
        // The smallest map with which LMDB is opened, because many ledgers are open at once.
        configuration.mapSizeBytes = 8 << 30
        configuration.secrets = SharedSecrets([Purchase.bundleId: secrets])
        configuration.rules.customers.claimConflict = claimConflict
        configuration.trust = TrustPolicy(
            apps: [TrustPolicy.App(bundleId: Purchase.bundleId)],
            configuredRoots: [
                try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate),
                try ConfiguredRoot(file: ReceiptSigner.standard.rootCertificate),
            ])
        self.configuration = configuration
        opened = try LedgerWriter(configuration)
    }

    /// Opens a ledger in another folder, configured like `other`.
    init(at folder: DataFolder, like other: TestLedger) throws {
        self.folder = folder
        var configuration = other.configuration
        configuration.folder = folder
        self.configuration = configuration
        opened = try LedgerWriter(configuration)
    }

    deinit {
        close()
        try? FileManager.default.removeItem(atPath: folder.path)
    }

    var ledger: LedgerWriter {
        guard let opened else { preconditionFailure("the test closed it") }
        return opened
    }

    /// Reads the ledger, also when it is open for reading alone.
    var reader: LedgerReader { reading ?? ledger.reader }

    func close() {
        opened?.close()
        opened = nil
        reading = nil
    }

    func open() throws { opened = try LedgerWriter(configuration) }

    /// Reopens the ledger, as after a restart.
    func reopen() throws {
        close()
        try open()
    }

    /// Opens the ledger as another process does; it must be closed here.
    func openForReading() throws { reading = try LedgerReader(configuration) }
}

extension TestLedger {
    /// Posts purchases. An app's `customerId` counts as named by a customer token.
    @discardableResult
    func post(
        _ purchases: Purchase..., customerId: String? = nil, handle: String? = nil, by caller: Caller = .backend
    ) async throws -> PostingAnswer<SubscriptionRow> {
        var posting = TransactionPosting(
            signedTransactions: purchases.map(\.text), customerId: customerId, handle: handle)
        posting.isVouchedFor = caller.role == .app
        return try await ledger.post(posting, by: caller)
    }

    /// Posts a purchase from a device and returns the handle of its new anonymous customer.
    func anonymousHandle(_ purchase: Purchase) async throws -> String {
        guard let handle = try await post(purchase, by: .app).customer?.handle else {
            preconditionFailure("an anonymous customer has a handle")
        }
        return handle
    }

    /// Ingests a transaction that no customer claims, as a notification does.
    @discardableResult
    func ingest(_ purchase: Purchase) async throws -> UInt64 {
        let checked = await ledger.check(Array(purchase.text.utf8), source: .file)
        guard case .appended(let appended) = try await ledger.append([checked], source: .file)[0] else {
            preconditionFailure("test purchases verify")
        }
        return appended.position
    }

    func customer(
        _ id: String, asOf: Instant = now, knownAt: UInt64? = nil, environment: Environment = .production
    ) throws -> JSONView {
        let question = AsOfQuery(asOf: asOf, knownAt: knownAt.map(AsOfQuery.KnownAt.size))
        return try reader.customer(id, question, scope: CustomerScope(environment: environment)).json.view
    }

    /// The originalTransactionIds of a customer's purchases.
    func purchases(of id: String, asOf: Instant = now, knownAt: UInt64? = nil) throws -> [String] {
        try customer(id, asOf: asOf, knownAt: knownAt).purchases
    }

    /// The originalTransactionIds of a customer's conflicts.
    func conflicts(of id: String) throws -> [String] {
        try customer(id)["conflicts"]?.elements?.compactMap { $0["originalTransactionId"]?.string } ?? []
    }

    /// The feed rows about Production after a cursor.
    func transitions(after cursor: inout TransitionCursor?) throws -> [TransitionRow] {
        let feed = try ledger.transitions()
        try feed.advance()
        var rows: [TransitionRow] = []
        while true {
            let page = try feed.page(after: cursor, limit: 100, environment: .production)
            rows += page.rows.map(\.row)
            cursor = page.cursor
            guard page.hasMore else { return rows }
        }
    }

    func transitions() throws -> [TransitionRow] {
        var cursor: TransitionCursor?
        return try transitions(after: &cursor)
    }

    /// Activates the default rules with a change.
    /// - Returns: whether an event was appended.
    @discardableResult
    func activate(by: String = "ops", text: String = "# rules", _ change: (inout Rules) -> Void) async throws -> Bool {
        var rules = Rules()
        change(&rules)
        return try await ledger.activate(rules, text: text, by: by).isAppended
    }

    func events() throws -> [Record] {
        let size = try reader.log.size()
        return try (0..<size).compactMap { try reader.log.record(at: $0) }
    }

    func events(_ kind: EventKind) throws -> [Record] {
        try events().filter { $0.kind == kind }
    }
}

extension JSONValue {
    /// The value after serialising and parsing, as a client reads it.
    var view: JSONView {
        get throws { try JSONDocument(parsing: Array(serialized().utf8)).root }
    }
}

extension JSONView {
    /// The originalTransactionIds of an answer's rows.
    var purchases: [String] {
        (self["subscriptions"]?.elements ?? []).compactMap { $0["originalTransactionId"]?.string }
    }
}

extension PostingAnswer {
    var answer: JSONView {
        get throws { try JSONValue(customer).view }
    }

    var refusedCodes: [String] { refused.map(\.code) }
}

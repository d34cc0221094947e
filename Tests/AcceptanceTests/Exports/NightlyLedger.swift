import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Exports
import FoundationEssentials
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Synchronization
import TableFiles
import Testing

/// A ledger that gets what a simulated App Store delivers, night by night, and is exported after each.
final class NightlyLedger {
    static let nights = 30
    /// The nights before which nothing is delivered.
    static let quietNights: Set<Int> = [3, 8, 9, 17, 29]
    /// The night before which other rules are activated.
    private static let nightOfRules = 12

    private final class Clock: Sendable {
        let now = Mutex(Instant.earliest)
    }

    private let temporary: TemporaryFolder
    private let clock = Clock()
    private let deliveries: [(date: Instant, jws: [UInt8])]
    private let opened: LedgerWriter
    /// The JWS delivered so far.
    private(set) var delivered: [[UInt8]] = []

    init(seed: UInt64, customers: Int = 40) throws {
        temporary = try TemporaryFolder()
        let store = StoreConfiguration.lifelike
        let signer = JWSSigner()
        deliveries = Simulation(seed: seed, customers: customers, store: store).run().artifacts
            .compactMap { artifact in artifact.deliveredDate.map { ($0, signer.sign(artifact).jws.compact) } }
            .sorted { $0.0 < $1.0 }
        var configuration = Ledger.Configuration(folder: DataFolder(path: temporary.path + "/data")) { [clock] in
            clock.now.withLock { $0 }
        }
        configuration.mapSizeBytes = 8 << 30
        configuration.trust = TrustPolicy(
            apps: [TrustPolicy.App(bundleId: store.bundleId, appAppleId: store.appAppleId)],
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        opened = try LedgerWriter(configuration)
    }

    deinit { opened.close() }

    var folder: String { temporary.path }
    var dataFolder: String { temporary.path + "/data" }
    var reader: LedgerReader { opened.reader }
    var writer: LedgerWriter { opened }
    /// The instants at which something is delivered, ascending.
    var deliveryDates: [Instant] { deliveries.map(\.date) }

    func feed() throws -> TransitionFeed { try opened.transitions() }

    /// The instant of a night. The nights divide the time of all deliveries.
    func instant(of night: Int) -> Instant {
        let (first, last) = (deliveries[0].date.milliseconds, deliveries[deliveries.count - 1].date.milliseconds)
        return Instant(milliseconds: first + (last - first) * Int64(night + 1) / Int64(Self.nights))
    }

    /// Adds what is delivered up to a night; what is due in a quiet one comes in the next.
    func play(to night: Int, from next: inout Int) async throws {
        let end = instant(of: night)
        defer { advance(to: end) }
        guard !Self.quietNights.contains(night) || night == Self.nights - 1 else { return }
        if night == Self.nightOfRules { try await activateRules(at: instant(of: night - 1)) }
        try await deliver(until: end, from: &next)
        try await act(on: night)
    }

    /// Adds what is delivered up to an instant.
    func deliver(until end: Instant, from next: inout Int) async throws {
        while next < deliveries.count, deliveries[next].date <= end {
            let (date, jws) = deliveries[next]
            advance(to: date)
            let checked = await opened.check(jws, source: .http)
            _ = try await opened.append([checked], source: .http)
            delivered.append(jws)
            next += 1
        }
        advance(to: end)
    }

    /// Sets the clock, which never goes back.
    func advance(to instant: Instant) { clock.now.withLock { $0 = max($0, instant) } }

    /// Customers claim, merge and get subscriptions: also what was exported before changes.
    private func act(on night: Int) async throws {
        let transactions = try delivered.flatMap(SignedStatement.all).filter { $0.kind == .transaction }.map(\.payload)
        var ids: [String] = []
        // A token that Apple signed outranks a link, and not a transfer.
        var owned: Set<String> = []
        for payload in transactions {
            guard let id = payload["originalTransactionId"]?.string else { continue }
            if !ids.contains(id) { ids.append(id) }
            if payload["appAccountToken"] != nil { owned.insert(id) }
        }
        let selectors = ids.map { SubscriptionSelector(originalTransactionId: $0) }
        guard selectors.count > 4 else { return }
        switch night {
        case 5:
            for (selector, id) in zip(selectors, ["ann", "ben", "=1+2,\"😀\""]) {
                let isOwned = owned.contains(selector.originalTransactionId)
                try await change(isOwned ? .transfer(selector) : .link(selector), id)
            }
        case 10: try await change(.merge(.id("ben")), "ann")
        case 15: try await change(.transfer(selectors[2]), "dan")
        case 20: try await change(.unmerge(.id("ben")), "ann")
        default: return
        }
    }

    func change(_ change: CustomerChange, _ id: String) async throws {
        _ = try await opened.apply(
            change, to: id, by: Caller(.admin, keyName: "support"), scope: CustomerScope(environment: .production),
            source: .operator)
    }

    private func activateRules(at instant: Instant) async throws {
        advance(to: instant)
        let text = """
            {"version": 1, "name": "stricter", "access": {"renewalLeewayMinutes": 0, "ownGraceDays": 3},
             "revenue": {"standardRate": 6500}, "retention": {"zone": "Asia/Tokyo"}}
            """
        let rules = try Rules(yaml: text, file: "rules.yaml")
        #expect(try await opened.activate(rules, text: text, by: "finance").isAppended)
    }

    /// Exports the tables as of an instant, to a folder below that of the ledger.
    /// - Parameter base: the path of the manifest that the export continues.
    func export(
        _ format: TableFileFormat, asOf: Instant, size: Position? = nil, since base: String? = nil,
        _ tables: [ExportTable] = ExportTable.all, to name: String
    ) async throws -> CompletedExport {
        let request = try await request(format, asOf: asOf, size: size, since: base, tables)
        return try await Exporter(reader, request).export(to: LocalDestination(folder + "/" + name))
    }

    func request(
        _ format: TableFileFormat, asOf: Instant, size: Position? = nil, since base: String? = nil,
        _ tables: [ExportTable] = ExportTable.all
    ) async throws -> ExportRequest {
        var request = ExportRequest(tables, as: format)
        request.asOf = asOf
        request.size = size
        request.environments = ["Production", "Sandbox"]
        if let base {
            request.base = try await ExportBase(manifest: String(base.dropFirst()), in: LocalDestination(""))
        }
        return request
    }

    /// Exports the facts from which the tables of states are folded.
    func exportFacts(
        _ partitions: Int, _ format: TableFileFormat, asOf: Instant, to name: String
    ) async throws -> CompletedExport {
        var request = ExportRequest(ExportTable.states, as: format)
        request.asOf = asOf
        request.partitions = partitions
        request.environments = ["Production", "Sandbox"]
        return try await Exporter(reader, request).export(to: LocalDestination(folder + "/" + name))
    }

    /// Returns the bytes of all files of an export, by their paths.
    static func files(of export: CompletedExport) throws -> [String: [UInt8]] {
        let folder = String(export.manifestPath.dropLast("/manifest.json".count))
        var files = [
            "manifest.json": try File.read(export.manifestPath), "plan.json": try File.read(folder + "/plan.json"),
        ]
        for file in export.tables.flatMap(\.files) { files[file.path] = try File.read("\(folder)/\(file.path)") }
        return files
    }
}

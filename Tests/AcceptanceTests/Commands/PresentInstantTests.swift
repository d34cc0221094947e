import AppStoreSimulation
import AppStoreVerification
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite("An answer without --as-of") struct PresentInstantTests {
    private let files: SignedFiles

    init() throws { files = try SignedFiles() }

    /// Appends a purchase of January 2024 with a ledger whose clock stands at an instant.
    private func appendPurchase(at instant: Instant) async throws {
        var configuration = Ledger.Configuration(folder: DataFolder(path: files.data), clock: { instant })
        configuration.mapSizeBytes = 1 << 30
        configuration.trust = TrustPolicy(
            apps: [TrustPolicy.App(bundleId: SignedFiles.bundleId)],
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        let writer = try LedgerWriter(configuration)
        defer { writer.close() }
        let checked = await writer.check(SignedFiles.transaction("1").compact, source: .file)
        _ = try await writer.append([checked], source: .file)
    }

    private static let questions = [
        ["state", "--subscription", "1"], ["history", "--subscription", "1"], ["customer", "show", "alice"],
        ["offers", "--customer", "alice"], ["cohorts"], ["churn"], ["revenue"],
    ]

    private func ask(_ question: [String]) throws -> (asOf: Instant?, errors: String) {
        let run = try Subledger(question + ["--data", files.data, "--format", "json"])
        #expect(run.ending == .exited(0), "\(question) \(run.errors)")
        return (try run.lines.first?["asOf"]?.string.flatMap { Instant(iso8601: $0) }, run.errors)
    }

    @Test func `is as of the newest event if that is ahead of the clock, and says so`() async throws {
        let ahead = try #require(Instant(iso8601: "2101-02-03T04:05:06.789Z"))
        try await appendPurchase(at: ahead)
        try await blocking {
            for question in Self.questions {
                let answer = try ask(question)
                #expect(answer.asOf == ahead, "\(question)")
                #expect(answer.errors.contains("note: the newest event is recorded at 2101-02-03T04:05:06.789Z"))
                #expect(answer.errors.contains("--as-of"))
                let dated = try ask(question + ["--as-of", "2024-01-15"])
                #expect(dated.asOf == Instant(iso8601: "2024-01-15T00:00:00Z") && dated.errors.isEmpty, "\(question)")
            }
        }
    }

    @Test func `is as of the clock if the newest event is older`() async throws {
        let recorded = try #require(Instant(iso8601: "2024-01-02T00:00:00Z"))
        try await appendPurchase(at: recorded)
        try await blocking {
            for question in Self.questions {
                let answer = try ask(question)
                #expect(try #require(answer.asOf) > recorded && answer.errors.isEmpty, "\(question) \(answer.errors)")
            }
        }
    }
}

import AppStoreSimulation
import AppStoreVerification
import EventLog
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

extension BenchmarkRow {
    /// The audit of a ledger of distinct notifications with all signatures, on all cores.
    static let auditVerify = BenchmarkRow(
        name: "audit-verify", unit: "events/s",
        limitName:
            "their bytes hashed, and the signing inputs hashed and verified with ready keys and signatures, on all "
            + "cores",
        target: .ratioAtLeast(0.5)
    ) { progress in
        progress.report("signing and ingesting \(IngestSample.count) notifications")
        let sample = try await VerificationSample(count: IngestSample.count)
        let ledger = try await AuditedLedger(sample)
        let cores = Machine.this.cores
        var measurement = try await Measurement.alternating(progress) {
            try await ledger.rate { $0.signatures = ledger.trust }
        } limit: {
            try await sample.rate(threads: cores) {
                sample.hash($0)
                try await sample.checkSignatures(of: $0)
            } * Double(cores)
        }
        progress.report("auditing without signatures, and in depth")
        let hashing = try await sample.rate(threads: cores) { sample.hash($0) } * Double(cores)
        let plain = try await ledger.rate { _ in }
        let deep = try await ledger.rate { $0.deep = true }
        measurement.note =
            "\((measurement.value * 3).short) signatures/s of raw \(((measurement.limit ?? 0) * 3).short); without "
            + "signatures \(plain.short) events/s of \(hashing.short) hashed; --deep alone \(deep.short) events/s"
        return measurement
    }
}

/// A ledger that is audited again and again.
private struct AuditedLedger {
    private let folder: TemporaryFolder
    let trust: TrustPolicy

    init(_ sample: VerificationSample) async throws {
        folder = try TemporaryFolder()
        var configuration = Ledger.Configuration(folder: DataFolder(path: folder.path), clock: { .latest })
        trust = TrustPolicy(configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        configuration.trust = trust
        let ledger = try LedgerWriter(configuration)
        defer { ledger.close() }
        try await IngestSample.ingest(sample.texts, into: ledger)
        try ledger.transitions().advance()
    }

    /// Returns events per second.
    func rate(_ change: (inout LedgerAudit.Options) -> Void) async throws -> Double {
        var options = LedgerAudit.Options()
        change(&options)
        let configuration = Ledger.Configuration(folder: DataFolder(path: folder.path), clock: { .latest })
        let start = ContinuousClock.now
        let report = try await LedgerAudit(configuration, options).run { _ in }
        let seconds = (ContinuousClock.now - start).seconds
        guard report.firstBad == nil, report.events == UInt64(IngestSample.count) else {
            throw BenchmarkFailure("the audit fails: \(report)")
        }
        return Double(report.events) / seconds
    }
}

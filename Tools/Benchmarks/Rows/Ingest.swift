import AppStoreSimulation
import AppStoreVerification
import EventLog
import Ingestion
import LedgerStorage
import Primitives
import SubscriptionLedger

extension BenchmarkRow {
    /// The ingest of distinct notifications as in `subledger ingest`: verified on all cores and durable.
    static let ingestBulk = BenchmarkRow(
        name: "ingest-bulk", unit: "notifications/s",
        limitName: "their signing inputs hashed and verified with ready keys and signatures, on all cores",
        target: .ratioAtLeast(0.8)
    ) { progress in
        progress.report("signing \(IngestSample.count) notifications")
        let sample = try await VerificationSample(count: IngestSample.count)
        let cores = Machine.this.cores
        return try await Measurement.alternating(progress) {
            try await IngestSample.rate(sample.texts).rate
        } limit: {
            try await sample.rate(threads: cores) { try await sample.checkSignatures(of: $0) } * Double(cores)
        }
    }

    /// The disk space per notification in `log/` and `derived/` when all is applied, without the feed of transitions.
    static let bytesPerNotification = BenchmarkRow(
        name: "bytes-per-notification", unit: "bytes", limitName: "the bytes of the three payloads",
        target: .valueAtMost(2_048)
    ) { progress in
        progress.report("signing \(IngestSample.count) notifications")
        let sample = try await VerificationSample(count: IngestSample.count)
        progress.report("ingesting them")
        let bytes = try await IngestSample.rate(sample.texts).bytes
        return Measurement(
            values: [Double(bytes) / Double(IngestSample.count)],
            limits: [Double(sample.payloadByteCount) / Double(IngestSample.count)],
            note: "raw \((sample.texts.reduce(0) { $0 + $1.count } / IngestSample.count)) bytes")
    }
}

enum IngestSample {
    static let count = 20_000

    /// Returns notifications per second until all are durable, and the bytes on disk of log/ and derived/ when all
    /// is applied.
    static func rate(_ texts: [[UInt8]]) async throws -> (rate: Double, bytes: Int64) {
        let folder = try TemporaryFolder()
        var configuration = Ledger.Configuration(folder: DataFolder(path: folder.path), clock: { .latest })
        configuration.trust.configuredRoots = [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]
        let ledger = try LedgerWriter(configuration)
        let start = ContinuousClock.now
        try await ingest(texts, into: ledger)
        let seconds = (ContinuousClock.now - start).seconds
        ledger.close()
        let bytes =
            DataFolder.bytesOnDisk(in: folder.path + "/log") + DataFolder.bytesOnDisk(in: folder.path + "/derived")
        return (Double(texts.count) / seconds, bytes)
    }

    /// Ingests notifications into an empty ledger.
    static func ingest(_ texts: [[UInt8]], into ledger: LedgerWriter) async throws {
        var pipeline = IngestPipeline(ledger: ledger)
        for text in texts {
            _ = try await pipeline.add(ArtifactFile.artifacts(in: text, file: "notification.jws")[0])
        }
        let last = try await pipeline.finish()
        guard !last.isEmpty, try ledger.reader.log.size() == UInt64(texts.count) else {
            throw BenchmarkFailure("not every notification was appended")
        }
    }
}

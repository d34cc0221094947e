package import AppStoreVerification
import CMS
import EventLog
package import LedgerAPI
import LedgerStorage
import Primitives
import TransparencyLog

/// Checks a ledger: every event of the log and every anchor, and optionally every signature, every page of the files and
/// all data that is derived from the log.
///
/// The size of the log is fixed first, so an audit beside a writer ends. Nothing is written.
package struct LedgerAudit: Sendable {
    package struct Options: Sendable {
        /// The roots and apps for verifying signatures; nil skips signatures.
        package var signatures: TrustPolicy?
        package var deep = false
        /// The roots of time stamp authorities, as DER; nil for those stored with the anchors.
        fileprivate var timeStampRoots: [[UInt8]]?

        package init() {}

        /// Trusts the roots of time stamp authorities in a PEM file instead of the stored ones.
        /// - Throws: `certificate_malformed`.
        package mutating func trustTimeStamps(under file: [UInt8]) throws {
            timeStampRoots = try CertificateFile.certificates(in: file)
        }
    }

    private let configuration: Ledger.Configuration
    private let options: Options

    package init(_ configuration: Ledger.Configuration, _ options: Options) {
        self.configuration = configuration
        self.options = options
    }

    /// - Parameter progress: called several times a second, on any thread.
    /// - Throws: `StorageError` when the ledger cannot be read.
    package func run(progress: @escaping @Sendable (AuditProgress) -> Void) async throws -> AuditReport {
        do {
            let published = options.deep ? try PublishedCheckpoint.unverified(in: configuration.folder) : nil
            if options.deep, let finding = try walkPages(signedSize: published?.size, progress) {
                return AuditReport(firstBad: AuditFinding(finding))
            }
            let log = try LogReader(configuration.log, origin: configuration.origin)
            return try await audit(log, published, progress)
        } catch let error as StorageError where error.code == .logCorrupt {
            return AuditReport(firstBad: .structure(what: error.message))
        }
    }

    private func walkPages(
        signedSize: UInt64?, _ progress: (AuditProgress) -> Void
    ) throws -> LogFinding? {
        try FileAudit.firstFinding(in: configuration.folder, signedSize: signedSize) {
            progress(AuditProgress(.pages, done: $0))
        }
    }

    private func audit(
        _ log: LogReader, _ published: Checkpoint?, _ progress: @escaping @Sendable (AuditProgress) -> Void
    ) async throws -> AuditReport {
        let head = try log.head()
        var report = AuditReport()
        (report.size, report.root) = (head.size, head.root)
        let derived = options.deep ? try DerivedAudit(configuration, log, head, progress: progress) : nil
        try verifyEvents(of: log, head, derived, &report, progress)
        if report.firstBad == nil, let trust = options.signatures {
            try await SignatureAudit(of: log, trust).run(below: head.size, &report) {
                progress(AuditProgress(.signatures, done: $0, total: head.size))
            }
        }
        if report.firstBad == nil {
            do {
                if let published { try require(published, of: log) }
                report.anchors =
                    try AnchorAudit(of: log, in: configuration.folder, roots: options.timeStampRoots).run()
            } catch let error as StorageError where error.code == .logCorrupt {
                report.firstBad = .structure(what: error.message)
            }
        }
        if report.firstBad == nil, let derived {
            let (parts, fault) = try derived.run(progress: progress)
            report.derived = parts
            report.firstBad = fault
        }
        if report.firstBad == nil, let first = report.neededRoots.first {
            report.firstBad = .rootNeeded(position: first.position, roots: report.neededRoots.count)
        }
        return report
    }

    private func verifyEvents(
        of log: LogReader, _ head: TreeHead, _ derived: DerivedAudit?, _ report: inout AuditReport,
        _ progress: @escaping @Sendable (AuditProgress) -> Void
    ) throws {
        let audit = LogAudit(log, head: head, identities: derived?.identities.part) { record, evidence in
            if let what = try derived?.check(record, evidence) {
                return .failure(LogAudit.EventProblem(what: what))
            }
            // The residue of erased evidence is evidence of a later event, and is checked there.
            guard let verbatim = evidence.verbatim else { return .success(()) }
            return EventChecks.run(record, verbatim)
        } progress: {
            progress(AuditProgress(.events, done: $0, total: head.size))
        }
        let found = try audit.run()
        (report.events, report.erased) = (found.events, found.erased)
        report.counts = AuditReport.Counts(found.counts)
        report.firstBad = found.firstBad.map(AuditFinding.init)
    }

    /// Requires that the log begins with the published checkpoint, and that the checkpoint's signature is valid.
    /// Without the key, the signature is not checked.
    /// - Throws: `log_corrupt`.
    private func require(_ published: Checkpoint, of log: LogReader) throws {
        try log.requirePrefix(published)
        guard let signer = try? CheckpointKey.load(from: configuration.folder, origin: log.origin) else { return }
        _ = try PublishedCheckpoint.stored(in: configuration.folder, verifier: signer.verifier)
    }
}

extension AuditFinding {
    fileprivate init(_ finding: LogFinding) {
        switch finding {
        case .event(let position, let what): self = .event(position: position, what: what)
        case .structure(let what): self = .structure(what: what)
        }
    }
}

extension AuditReport.Counts {
    fileprivate init(_ counts: TrustCounts) {
        func count(_ trust: TrustClass) -> UInt64 { counts.events[trust] ?? 0 }
        self.init(
            signed: count(.signed), fetched: count(.fetched), sharedSecret: count(.sharedSecret),
            asserted: count(.asserted), own: count(.own), configuredRoot: counts.configuredRoot)
    }
}

import AppStoreModel
package import AppStoreVerification
import Dispatch
package import EventLog
import FactStore
package import Ingestion
import LedgerStorage
package import Primitives

/// The outcome of an artifact.
package enum IngestOutcome: Sendable {
    case appended(AppendResult)
    /// A refusal. `quarantined` artifacts are kept for a retry.
    case refused(Refusal, quarantined: Bool)
    /// The refusal of a receipt of iOS 6 that is in the log, so that Apple is asked about it.
    case kept(Refusal)

    /// Nil for an accepted artifact.
    package var refusal: Refusal? {
        switch self {
        case .appended: nil
        case .refused(let refusal, _), .kept(let refusal): refusal
        }
    }
}

/// A checked artifact; an accepted one is ready to be appended.
package enum CheckedArtifact: Sendable {
    case accepted(PreparedEvent)
    case refused(Refusal, artifact: [UInt8])
    /// A refused receipt of iOS 6. Its event is appended, so that Apple is asked about it.
    case token(PreparedEvent, Refusal)

    /// The kind of an accepted artifact.
    var kind: ArtifactKind? {
        guard case .accepted(let event) = self else { return nil }
        return ArtifactKind(event.artifact)
    }
}

extension LedgerWriter {
    /// Verifies one artifact and prepares its event. Calls may run in parallel.
    /// - Parameter ingestion: nil for the policy of the ledger.
    package func check(
        _ artifact: [UInt8], as kind: ArtifactKind? = nil, source: EventSource, with ingestion: Ingestion? = nil
    ) async -> CheckedArtifact {
        switch await prepare(artifact, as: kind, source: source, with: ingestion, admit: { _, _ in }) {
        case .success(let (event, _)): .accepted(event)
        case .failure(let refusal): refused(refusal, artifact, source: source, with: ingestion)
        }
    }

    /// Verifies one artifact, signed or not, and prepares its event. Calls may run in parallel.
    /// - Parameter ingestion: nil for the policy of the ledger.
    package func check(
        _ content: FoundArtifact.Content, source: EventSource, with ingestion: Ingestion? = nil
    ) async -> CheckedArtifact {
        guard let unsigned = content.unsigned else {
            return await check(content.artifact, as: content.kind, source: source, with: ingestion)
        }
        return switch await prepare(content.artifact, unsigned, source: source, with: ingestion) {
        case .success(let (event, _)): .accepted(event)
        case .failure(let refusal): .refused(refusal, artifact: content.withoutPassword)
        }
    }

    /// Checks a text without a signature as a whole, and prepares its event.
    func prepare(
        _ text: [UInt8], _ kind: UnsignedText, source: EventSource, with ingestion: Ingestion?
    ) async -> Result<(PreparedEvent, EventFacts), Refusal> {
        await (ingestion ?? self.ingestion).draft(of: text, kind, from: source, now: configuration.clock())
            .map { (log.prepare($0.draft, ifRepeated: $0.receipt.map { log.prepare($0) }), $0.facts) }
    }

    /// Verifies one artifact and prepares its event.
    /// - Parameters:
    ///   - ingestion: nil for the policy of the ledger.
    ///   - device: the device and the app that a receipt must be for.
    ///   - admit: examines the verified artifact and its facts.
    func prepare<Admission>(
        _ artifact: [UInt8], as kind: ArtifactKind? = nil, source: EventSource, with ingestion: Ingestion? = nil,
        device: ReceiptDevice = ReceiptDevice(),
        admit: (SignedArtifact, EventFacts) throws(Refusal) -> Admission
    ) async -> Result<(PreparedEvent, Admission), Refusal> {
        await (ingestion ?? self.ingestion).draft(
            of: artifact, as: kind, from: source, now: configuration.clock(), device: device, admit: admit
        )
        .map { (log.prepare($0.draft), $0.admission) }
    }

    /// Appends the accepted artifacts in one transaction and quarantines the others.
    ///
    /// - Returns: the outcomes in the same order.
    /// - Throws: `StorageError`; a retryable one changes nothing.
    package func append(_ checked: [CheckedArtifact], source: EventSource) async throws -> [IngestOutcome] {
        let events = checked.compactMap { artifact -> PreparedEvent? in
            switch artifact {
            case .accepted(let event), .token(let event, _): event
            case .refused: nil
            }
        }
        let mappings = try await mappingsOfReceipts(for: events, source)
        var results = try await append(events + mappings)[...]
        var outcomes: [IngestOutcome] = []
        for artifact in checked {
            switch artifact {
            case .accepted: outcomes.append(.appended(results.removeFirst()))
            case .token(_, let refusal):
                results.removeFirst()
                outcomes.append(.kept(refusal))
            case .refused(let refusal, let bytes):
                outcomes.append(.refused(refusal, quarantined: try await keep(bytes, refusal, source)))
            }
        }
        return outcomes
    }

    /// Appends one of the ledger's own events.
    /// - Throws: `StorageError`; a retryable one changes nothing.
    func append(_ draft: EventDraft) async throws -> AppendResult {
        try await append([log.prepare(draft)])[0]
    }

    /// Returns the result of each event, in order.
    func append(_ events: [PreparedEvent]) async throws -> [AppendResult] {
        guard !reader.facts.isFull else {
            throw StorageError(
                .busy, "the fact index lags too far behind the log", expected: "an up-to-date fact index",
                found: reader.factFailure ?? "\(reader.facts.lag) events behind", hint: "Try again.")
        }
        let results = try await log.append(events)
        let others = zip(events, results).filter { !$1.isAppended }.compactMap(\.0.ifRepeated)
        if !others.isEmpty { _ = try await log.append(others) }
        return results
    }

    /// Quarantines a refused artifact, unless it is malformed, empty or of no use to anybody. Returns whether it did.
    func keep(_ artifact: [UInt8], _ refusal: Refusal, _ source: EventSource) async throws -> Bool {
        guard refusal.isQuarantined, !artifact.isEmpty else { return false }
        let note = note(on: refusal, source)
        return try await DispatchQueue.global().run { [quarantine] in try quarantine.keep(artifact, note: note) }
    }

    private func note(on refusal: Refusal, _ source: EventSource) -> JSONValue {
        .object([
            "code": .string(refusal.code.rawValue), "reason": .string(refusal.reason),
            "expected": JSONValue(refusal.expected), "found": JSONValue(refusal.found),
            "part": JSONValue(refusal.part), "source": .string(source.name),
            "refusedAt": JSONValue(configuration.clock()),
        ])
    }
}

extension FoundArtifact.Content {
    /// The text as the quarantine keeps it: with the digest of its password in the place of the password.
    var withoutPassword: [UInt8] {
        guard unsigned == .notification || unsigned == .assertedNotification else { return artifact }
        return (try? JSONDocument(parsing: artifact)).flatMap { NotificationV1($0.root) }?.digested ?? artifact
    }
}

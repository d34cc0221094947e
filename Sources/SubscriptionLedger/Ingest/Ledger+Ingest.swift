package import AppStoreVerification
import Dispatch
package import EventLog
import Primitives
import ProjectionRuntime

/// The outcome of an artifact.
package enum IngestOutcome: Sendable {
    case appended(Appended)
    /// Refused; `quarantined` artifacts are kept for a retry.
    case refused(Refusal, quarantined: Bool)
}

/// A checked artifact; an accepted one is ready to be appended.
package enum CheckedArtifact: Sendable {
    case accepted(PreparedEvent)
    case refused(Refusal, artifact: [UInt8])

    /// The kind of an accepted artifact.
    var kind: ArtifactKind? {
        guard case .accepted(let event) = self else { return nil }
        return ArtifactKind(event.artifact)
    }
}

extension Ledger {
    /// Verifies one artifact and prepares its event. Calls may run in parallel.
    package func check(
        _ jws: [UInt8], as kind: ArtifactKind? = nil, source: EventSource
    ) async -> CheckedArtifact {
        let verified = await verifier.verify(jws, as: kind, now: configuration.clock())
        switch verified.flatMap({ Intake(trust: configuration.trust).draft(for: $0, source: source) }) {
        case .success(let draft): return .accepted(log.prepare(draft))
        case .failure(let refusal): return .refused(refusal, artifact: jws)
        }
    }

    /// Appends the accepted artifacts in one transaction and quarantines the others.
    ///
    /// - Returns: the outcomes in the same order.
    /// - Throws: `EventLogError`; a retryable one changes nothing.
    package func append(_ checked: [CheckedArtifact], source: EventSource) async throws -> [IngestOutcome] {
        guard !derived.isFull else {
            throw EventLogError(
                .busy, "deriving is too far behind", expected: "derived/ to follow the log",
                found: derived.failure ?? "\(derived.lag) events behind", hint: "Try again.")
        }
        let events = checked.compactMap { artifact -> PreparedEvent? in
            guard case .accepted(let event) = artifact else { return nil }
            return event
        }
        var appended = try await log.append(events)[...]
        var outcomes: [IngestOutcome] = []
        for artifact in checked {
            switch artifact {
            case .accepted:
                guard let next = appended.popFirst() else { preconditionFailure("an answer for each event") }
                outcomes.append(.appended(next))
            case .refused(let refusal, let bytes):
                outcomes.append(.refused(refusal, quarantined: try await keep(bytes, refusal, source)))
            }
        }
        return outcomes
    }

    private func keep(_ artifact: [UInt8], _ refusal: Refusal, _ source: EventSource) async throws -> Bool {
        guard refusal.code.isQuarantined, let quarantine else { return false }
        let note = note(on: refusal, source)
        // Waiting for the disk would block a thread of the cooperative pool.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try quarantine.keep(artifact, note: note) })
            }
        }
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

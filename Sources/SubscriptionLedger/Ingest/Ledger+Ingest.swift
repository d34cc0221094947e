package import AppStoreVerification
import Dispatch
package import EventLog
import Primitives
import ProjectionRuntime

/// What became of an artifact.
package enum IngestOutcome: Sendable {
    case appended(Appended)
    /// Refused, and whether it was kept to be tried again.
    case refused(Refusal, quarantined: Bool)
}

/// An artifact checked and, when accepted, ready to be appended.
package enum CheckedArtifact: Sendable {
    case accepted(PreparedEvent)
    case refused(Refusal, artifact: [UInt8])

    /// As which it was accepted.
    var kind: ArtifactKind? {
        guard case .accepted(let event) = self else { return nil }
        return ArtifactKind(event.artifact)
    }
}

extension Ledger {
    /// Verifies one artifact and makes what is to be appended of it. May run on as many cores as there are.
    package func check(
        _ jws: [UInt8], as kind: ArtifactKind? = nil, source: EventSource
    ) async -> CheckedArtifact {
        let verified = await verifier.verify(jws, as: kind, now: configuration.clock())
        switch verified.flatMap({ Intake(trust: configuration.trust).draft(for: $0, source: source) }) {
        case .success(let draft): return .accepted(log.prepare(draft))
        case .failure(let refusal): return .refused(refusal, artifact: jws)
        }
    }

    /// Appends what was accepted, in one transaction, and quarantines the rest; outcomes in the order given.
    ///
    /// - Throws: `EventLogError`; retryable ones leave everything as it was.
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
        // It waits for the disk, which the cooperative pool must not.
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

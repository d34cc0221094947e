import AppStoreModel
package import AppStoreVerification
package import EventLog
package import FactStore
import LedgerModel
import LedgerStorage
import Primitives

/// Encodes and decodes the events that record Apple's answers.
///
/// The evidence is the answer. The body names the question and the signed parts that verification refused, which give
/// no facts.
package enum AnswerEvents {
    /// An answer read back from the log.
    package struct Stored: Sendable {
        package let question: ServerAPIQuestion
        package let answer: ServerAPIAnswer
        /// The signed parts; nil for a refused one.
        package let parts: [StoredArtifact?]
        let digest: Digest

        package var facts: EventFacts {
            AnswerEvents.facts(of: answer, parts: parts, digest: digest, bundleId: question.bundleId)
        }

        package func hasIdempotencyKey(_ key: IdempotencyKey) -> Bool { question.idempotencyKey(of: digest) == key }
    }

    /// The most signed parts of an answer. Apple sends 20 transactions on a page.
    private static let partLimit = 255

    /// - Parameter parts: the result of the verification of each part.
    /// - Throws: `answer_mismatch`, `claim_malformed` for an answer with too many parts, or to a question too long.
    static func recorded(
        _ answer: ServerAPIAnswer, to question: ServerAPIQuestion, appAppleId: Int64?,
        parts: [Result<SignedArtifact, Refusal>], source: EventSource, now: Instant
    ) throws(Refusal) -> EventDraft {
        try check(answer, question, appAppleId)
        let environment = EnvironmentCode(name: question.environment.rawValue) ?? .none
        let bytes = answer.document.bytes
        let digest = Digest.sha256(of: bytes)
        let verified = parts.map { try? $0.get() }
        let facts = facts(
            of: answer, parts: verified.map { $0.map { StoredArtifact($0) } }, digest: digest,
            bundleId: question.bundleId)
        let proofs = verified.compactMap { $0?.proof }
        let draft = EventDraft(
            kind: .statusPolled, source: source, environment: environment, artifact: .serverAPIAnswer, trust: .fetched,
            flags: proofs.contains(where: \.isConfiguredRoot) ? .configuredRoot : [],
            idempotencyKey: question.idempotencyKey(of: digest),
            evidence: Evidence(bytes: bytes, digest: digest, layout: .json(nested(answer, verified))),
            verifiedAt: proofs.map(\.verifiedAt).max() ?? now,
            body: body(question, answer, parts), attachment: IndexedFacts(facts))
        // The question contains text of Apple's, such as the revision of a page.
        guard draft.fitsRecord else {
            throw Refusal(
                .claimMalformed, "the question is too long for an event", expected: "at most 4 KiB",
                found: "\(draft.body.count) bytes")
        }
        return draft
    }

    private static func check(
        _ answer: ServerAPIAnswer, _ question: ServerAPIQuestion, _ appAppleId: Int64?
    ) throws(Refusal) {
        guard answer.parts.count <= partLimit else {
            throw Refusal(
                .claimMalformed, "the answer has too many signed parts", expected: "at most \(partLimit)",
                found: "\(answer.parts.count)")
        }
        guard answer.errorCode == nil else { return }
        let environment = question.environment.rawValue
        for (name, expected, found) in [
            ("bundleId", question.bundleId, answer.bundleId), ("environment", environment, answer.environment),
        ] where found != expected && (found != nil || question.answerNamesApp) {
            throw Refusal(
                .answerMismatch, "the answer has another \(name) than Apple was asked about", expected: expected,
                found: found ?? "none")
        }
        guard let found = answer.appAppleId, let appAppleId, found != appAppleId else { return }
        throw Refusal(
            .answerMismatch, "the answer has another appAppleId than Apple was asked about",
            expected: "\(appAppleId)", found: "\(found)")
    }

    private static func nested(_ answer: ServerAPIAnswer, _ parts: [SignedArtifact?]) -> [Evidence.Nested] {
        zip(answer.parts, parts).compactMap { part, artifact in
            guard let jws = artifact?.jws, let range = part.range, range.count == jws.text.count else { return nil }
            return Evidence.Nested(range: range, layout: EventDraft.layout(of: jws))
        }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Parts are named by their number, so that a body of 255 of them fits into a record.
    private static func body(
        _ question: ServerAPIQuestion, _ answer: ServerAPIAnswer, _ parts: [Result<SignedArtifact, Refusal>]
    ) -> [UInt8] {
        var refused: [String: [JSONValue]] = [:]
        for (index, part) in parts.enumerated() {
            guard case .failure(let refusal) = part else { continue }
            refused[refusal.code.rawValue, default: []].append(.integer(Int64(index)))
        }
        var members: [JSONValue.Member] = [
            .init("endpoint", .string(question.endpoint.rawValue)), .init("target", .string(question.target)),
            .init("bundleId", .string(question.bundleId)),
        ]
        if let code = answer.errorCode { members.append(.init("errorCode", .integer(code))) }
        if !refused.isEmpty {
            members.append(.init("refused", .object(refused.map { .init($0.key, .array($0.value)) })))
        }
        return JSONValue.object(members).canonical()
    }
}

// MARK: - Decoding

extension AnswerEvents {
    /// Returns the answer that an event records; nil for an event of another kind.
    /// - Parameter withoutRefused: whether the refused parts were removed from the evidence.
    /// - Throws: `log_corrupt` when the body or the evidence cannot be read.
    package static func stored(
        _ record: Record, _ evidence: [UInt8], withoutRefused: Bool = false
    ) throws -> Stored? {
        guard record.kind == .statusPolled, record.artifact == .serverAPIAnswer else { return nil }
        guard let document = try? JSONDocument(parsing: evidence), let answer = ServerAPIAnswer(document),
            let body = try? JSONDocument(parsing: record.body).root,
            let question = ServerAPIQuestion(body, record.environment)
        else { throw EventDecoder.unreadable(record, expected: "an answer and its question", found: "neither") }
        let refused = Set(
            (body["refused"]?.members ?? []).flatMap { $0.value.elements ?? [] }.compactMap(\.integer))
        let parts = try answer.parts.enumerated().map { index, part -> StoredArtifact? in
            guard withoutRefused || !refused.contains(Int64(index)) else { return nil }
            do throws(Refusal) {
                return try StoredArtifact(part.text, kind: part.kind)
            } catch {
                throw EventDecoder.unreadable(record, expected: part.path, found: error.reason)
            }
        }
        return Stored(question: question, answer: answer, parts: parts, digest: record.evidenceDigest)
    }

    private static func facts(
        of answer: ServerAPIAnswer, parts: [StoredArtifact?], digest: Digest, bundleId: String
    ) -> EventFacts {
        // The facts are stored with their record, which contains the position and the time.
        let translation = Translation(position: 0, recordedAt: .earliest)
        var observations: [KeyedObservation] = []
        for part in parts {
            observations += part.map { EventDecoder.facts(of: $0, bundleId: bundleId).observations } ?? []
        }
        for item in answer.items {
            guard let status = item.status, let id = item.originalTransactionId else { continue }
            observations += translation.status(
                SubscriptionStatusCode(rawValue: status), of: id,
                named: ObservationName(digest: digest, path: Symbol(item.path)),
                transaction: item.transaction.flatMap { parts[$0]?.transaction }.map(EventDecoder.signed),
                renewalInfo: item.renewalInfo.flatMap { parts[$0]?.renewalInfo }.map(EventDecoder.signed),
                bundleId: bundleId)
        }
        return EventFacts(observations)
    }
}

extension StoredArtifact {
    fileprivate var transaction: StoredJWS<Transaction>? {
        if case .transaction(let stored) = self { stored } else { nil }
    }

    fileprivate var renewalInfo: StoredJWS<RenewalInfo>? {
        if case .renewalInfo(let stored) = self { stored } else { nil }
    }
}

extension ServerAPIQuestion {
    /// Reads the body of an event.
    fileprivate init?(_ body: JSONView, _ environment: EnvironmentCode) {
        guard let endpoint = (body["endpoint"]?.string).flatMap(ServerAPIEndpoint.init),
            let target = body["target"]?.string, let bundleId = body["bundleId"]?.string,
            let environment = environment.name.flatMap({ Environment(known: $0) })
        else { return nil }
        self.init(endpoint, target: target, bundleId: bundleId, environment: environment)
    }
}

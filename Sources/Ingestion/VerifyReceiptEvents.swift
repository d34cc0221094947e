package import AppStoreModel
import AppStoreVerification
package import EventLog
package import FactStore
import LedgerModel
import Primitives

/// Encodes and decodes the events that record answers of verifyReceipt.
package enum VerifyReceiptEvents {
    /// An answer read back from the log.
    package struct Stored: Sendable {
        package let question: VerifyReceiptQuestion
        package let answer: VerifyReceiptAnswer
        /// The newest receipt in the answer; nil without one that was accepted.
        let receipt: StoredArtifact?
        let digest: Digest

        /// The newest receipt, in base64; nil without one that was accepted.
        package var acceptedReceipt: [UInt8]? { receipt == nil ? nil : answer.latestReceipt.map { Array($0.utf8) } }

        package var facts: EventFacts {
            VerifyReceiptEvents.facts(of: answer, to: question, receipt, digest: digest)
        }

        package func hasIdempotencyKey(_ key: IdempotencyKey) -> Bool { question.idempotencyKey(of: digest) == key }
    }

    /// - Parameter sent: the receipt that Apple was asked about; nil if it is not known.
    /// - Throws: `answer_mismatch` for an answer about something else; `from_the_future`.
    static func recorded(
        _ answer: VerifyReceiptAnswer, to question: VerifyReceiptQuestion, sent: ReceiptContent?,
        carried: CarriedReceipt,
        trust: TrustClass, source: EventSource, now: Instant
    ) throws(Refusal) -> UnsignedDraft {
        if answer.statesPurchases { try check(answer, question, sent) }
        try SigningTimePolicy.check(answer.requestDate ?? question.receivedAt, now: now)
        let environment = EnvironmentCode(name: question.environment.rawValue) ?? .none
        let bytes = answer.document.document.bytes
        let digest = Digest.sha256(of: bytes)
        let proof = carried.verified?.proof
        let receipt = carried.verified.map { StoredArtifact(.receipt($0)) }
        var members = question.members + carried.members
        members.append(.init("status", .integer(answer.status)))
        members += JSONValue.Member.counts(unreadable: answer.unreadable, contradictions: answer.contradictions)
        let facts = facts(of: answer, to: question, receipt, digest: digest)
        let draft = EventDraft(
            kind: .statusPolled, source: source, environment: environment, artifact: .verifyReceiptAnswer,
            trust: trust, flags: proof?.isConfiguredRoot == true ? .configuredRoot : [],
            idempotencyKey: question.idempotencyKey(of: digest), evidence: Evidence(bytes: bytes, digest: digest),
            verifiedAt: proof?.verifiedAt ?? now, body: JSONValue.object(members).canonical(),
            attachment: IndexedFacts(facts))
        try draft.requireToFit("bundle_id")
        return UnsignedDraft(draft: draft, facts: facts)
    }

    private static func check(
        _ answer: VerifyReceiptAnswer, _ question: VerifyReceiptQuestion, _ sent: ReceiptContent?
    ) throws(Refusal) {
        let environment = question.environment.rawValue
        for (name, expected, found) in [
            ("bundle_id", question.bundleId, answer.bundleId),
            ("environment", environment, answer.environmentName ?? environment),
        ] where found != expected {
            throw Refusal(
                .answerMismatch, "the answer has another \(name) than Apple was asked about", expected: expected,
                found: found ?? "none")
        }
        guard let sent else { return }
        let ids = Set(answer.inApp.map(\.purchase.transactionId))
        let missing = sent.transactionIds.filter { !ids.contains($0) }
        guard answer.receiptCreationDate == sent.creationDate, missing.isEmpty else {
            throw Refusal(
                .answerMismatch, "the answer is about another receipt",
                expected: "the receipt of \(sent.creationDate?.iso8601 ?? "no date") with its purchases",
                found: "one of \(answer.receiptCreationDate?.iso8601 ?? "no date"), \(missing.count) purchases missing")
        }
    }

    /// Returns the answer that an event records; nil for an event of another kind.
    /// - Throws: `log_corrupt` when the body or the evidence cannot be read.
    package static func stored(_ record: Record, _ evidence: [UInt8]) throws -> Stored? {
        guard record.kind == .statusPolled, record.artifact == .verifyReceiptAnswer else { return nil }
        guard let document = try? JSONDocument(parsing: evidence), let answer = VerifyReceiptAnswer(document.root),
            let body = try? JSONDocument(parsing: record.body).root,
            let question = VerifyReceiptQuestion(body, record.environment)
        else { throw EventDecoder.unreadable(record, expected: "an answer and its question", found: "neither") }
        do throws(Refusal) {
            return Stored(
                question: question, answer: answer, receipt: try CarriedReceipt.stored(answer.latestReceipt, body),
                digest: record.evidenceDigest)
        } catch {
            throw EventDecoder.unreadable(record, expected: "latest_receipt", found: error.reason)
        }
    }

    private static func facts(
        of answer: VerifyReceiptAnswer, to question: VerifyReceiptQuestion, _ receipt: StoredArtifact?, digest: Digest
    ) -> EventFacts {
        var observations = receipt.map { EventDecoder.facts(of: $0, bundleId: nil).observations } ?? []
        if answer.statesPurchases {
            // The facts are stored with their record, which contains the position and the time.
            observations += Translation(position: 0, recordedAt: .earliest).answer(
                AnsweredReceipt(
                    answer, digest: digest, environment: question.environment, bundleId: question.bundleId,
                    receivedAt: question.receivedAt, excludesOldTransactions: question.excludesOldTransactions))
        }
        return EventFacts(observations)
    }
}

extension EventDraft {
    /// - Parameter member: the member of Apple's text that makes the event too long.
    /// - Throws: `claim_malformed` for an event that no record has room for.
    func requireToFit(_ member: String) throws(Refusal) {
        guard !fitsRecord else { return }
        throw Refusal(
            .claimMalformed, "the \(member) is too long", expected: "an event of at most \(Record.byteLimit) bytes",
            found: "a body of \(body.count) bytes")
    }
}

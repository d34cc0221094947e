import AppStoreModel
package import AppStoreVerification
package import EventLog
package import FactStore
package import Primitives

/// The draft of the event of a text without a signature, and the facts in it.
package struct UnsignedDraft: Sendable {
    package let draft: EventDraft
    package let facts: EventFacts
    /// The receipt in a notification of version 1 by itself. Apple repeats a notification with another receipt.
    package var receipt: EventDraft?
}

extension Ingestion {
    /// Drafts the event of a text of Apple's without a signature of its own.
    /// - Returns: the draft; or a refusal: that of its JSON, `kind_unknown`, `password_mismatch`, `bundle_unknown`,
    ///   `environment_mismatch`, `answer_mismatch`, `claim_missing`, `claim_malformed`, `from_the_future`,
    ///   `channel_not_authenticated`.
    package func draft(
        of text: [UInt8], _ kind: UnsignedText, from source: EventSource, now: Instant
    ) async -> Result<UnsignedDraft, Refusal> {
        do throws(Refusal) {
            switch kind {
            case .assertedAnswer: return .success(try await assertedAnswer(Self.document(text), source, now))
            case .quarantinedAnswer:
                throw .unproven("nothing proves the origin of the answer", UnsignedDocument(try Self.document(text)))
            case .assertedNotification, .notification, .quarantinedNotification, .assertedQuarantinedNotification:
                guard let notification = NotificationV1(try Self.document(text).root) else {
                    throw Refusal(
                        .kindUnknown, "not a notification of version 1", expected: "notification_type", found: "none")
                }
                if let member = notification.malformedMember { throw .malformed(member) }
                return .success(try await draft(of: notification, kind, source, now))
            }
        } catch {
            return .failure(error)
        }
    }

    /// Drafts the event of an answer of verifyReceipt that this process received from Apple.
    /// - Parameter sent: the receipt that Apple was asked about; nil if it is not known.
    package func draft(
        ofAnswer bytes: [UInt8], to question: VerifyReceiptQuestion, sent: ReceiptContent?, from source: EventSource,
        now: Instant
    ) async -> Result<UnsignedDraft, Refusal> {
        do throws(Refusal) {
            let answer = try Self.answer(Self.document(bytes))
            // A receipt of iOS 6 does not prove its environment, so Apple may answer from one that is not accepted.
            try Self.require(
                question.environment, among: environments(of: question.bundleId, unknown: .answerMismatch))
            return .success(try await draft(answer, question, sent, .fetched, source, now))
        } catch {
            return .failure(error)
        }
    }

    private func assertedAnswer(
        _ document: JSONDocument, _ source: EventSource, _ now: Instant
    ) async throws(Refusal) -> UnsignedDraft {
        let answer = try Self.answer(document)
        guard answer.statesPurchases else {
            throw Refusal(
                .claimMissing, "the answer states no purchases", expected: "status 0 or 21006",
                found: "status \(answer.status)", isFinal: true)
        }
        guard let bundleId = answer.bundleId else {
            throw Refusal(
                .claimMissing, "the answer does not name the app", expected: "bundle_id or bid", found: "none")
        }
        let environments = try environments(of: bundleId, unknown: .answerMismatch)
        // An unknown name is not that of the only environment.
        let only = environments.count == 1 && answer.environmentName == nil ? environments.first : nil
        guard let environment = answer.environment ?? only else {
            throw Refusal(
                .claimMissing, "the answer has no environment", expected: "Production or Sandbox",
                found: answer.environmentName ?? "none",
                hint: answer.environmentName == nil ? "Name it with --environment." : nil)
        }
        try Self.require(environment, among: environments)
        let question = VerifyReceiptQuestion(
            bundleId: bundleId, environment: environment, receipt: nil, excludesOldTransactions: nil,
            receivedAt: answer.newestDate ?? now)
        return try await draft(answer, question, nil, .asserted, source, now)
    }

    private func draft(
        _ answer: VerifyReceiptAnswer, _ question: VerifyReceiptQuestion, _ sent: ReceiptContent?, _ trust: TrustClass,
        _ source: EventSource, _ now: Instant
    ) async throws(Refusal) -> UnsignedDraft {
        let carried = await verifier.carried(
            answer.latestReceipt, for: question.bundleId, question.environment, now: now)
        return try VerifyReceiptEvents.recorded(
            answer, to: question, sent: sent, carried: carried, trust: trust, source: source, now: now)
    }

    private func draft(
        of notification: NotificationV1, _ kind: UnsignedText, _ source: EventSource, _ now: Instant
    ) async throws(Refusal) -> UnsignedDraft {
        let bundleId = try bundleId(of: notification, kind)
        let environments = try environments(of: bundleId, unknown: .bundleUnknown)
        guard let environment = notification.environment else {
            throw Refusal(
                .claimMissing, "the notification has no environment", expected: "PROD or Sandbox", found: "none")
        }
        try Self.require(environment, among: environments)
        let carried = await verifier.carried(notification.latestReceipt, for: bundleId, environment, now: now)
        var drafted = try NotificationV1Events.recorded(
            notification, of: bundleId, environment, carried: carried,
            trust: kind.isAsserted ? .asserted : .sharedSecret, source: source, now: now)
        if let receipt = carried.verified {
            let artifact = SignedArtifact.receipt(receipt)
            drafted.receipt = try EventDraft(
                artifact, facts: EventDecoder.facts(of: StoredArtifact(artifact), bundleId: nil), source: source,
                trust: trust)
        }
        return drafted
    }

    /// Returns the app of a notification whose password is that of the app.
    private func bundleId(of notification: NotificationV1, _ kind: UnsignedText) throws(Refusal) -> String {
        guard !kind.isAsserted else {
            guard let bundleId = notification.bundleId ?? (trust.apps.count == 1 ? trust.apps.first?.bundleId : nil)
            else { throw .appMissing }
            return bundleId
        }
        let digest = notification.passwordDigest(isBlanked: kind == .quarantinedNotification)
        let owners = digest.map(secrets.bundleIds) ?? []
        if let bundleId = notification.bundleId, !trust.apps.isEmpty,
            !trust.apps.contains(where: { $0.bundleId == bundleId })
        {
            _ = try environments(of: bundleId, unknown: .bundleUnknown)
        }
        guard let bundleId = notification.bundleId ?? (owners.count == 1 ? owners.first : nil),
            owners.contains(bundleId)
        else {
            throw Refusal(
                .passwordMismatch, "the password is no shared secret of the app",
                expected: secrets.isEmpty ? "a configured sharedSecretFile" : "a secret of sharedSecretFile",
                found: notification.password == nil ? "none" : "another")
        }
        return bundleId
    }

    /// - Throws: a refusal with `code` for an app that is not configured.
    private func environments(
        of bundleId: String, unknown code: RefusalCode
    ) throws(Refusal) -> Set<Environment> {
        guard !trust.apps.isEmpty else { return trust.environments }
        guard let app = trust.apps.first(where: { $0.bundleId == bundleId }) else {
            throw Refusal(
                code, "the app is not configured",
                expected: trust.apps.map(\.bundleId).sorted().joined(separator: ", "), found: bundleId)
        }
        return app.environments ?? trust.environments
    }

    private static func require(_ environment: Environment, among allowed: Set<Environment>) throws(Refusal) {
        guard allowed.contains(environment) else {
            throw Refusal(
                .environmentMismatch, "the environment is not accepted",
                expected: allowed.map(\.rawValue).sorted().joined(separator: ", "), found: environment.rawValue)
        }
    }

    private static func document(_ bytes: [UInt8]) throws(Refusal) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument(parsing: bytes)
        } catch {
            throw Refusal(json: error)
        }
    }

    private static func answer(_ document: JSONDocument) throws(Refusal) -> VerifyReceiptAnswer {
        guard let answer = VerifyReceiptAnswer(document.root) else {
            throw Refusal(
                .claimMalformed, "not an answer of verifyReceipt", expected: "an integer status", found: "other JSON")
        }
        if let member = answer.malformedMember { throw .malformed(member) }
        return answer
    }
}

extension Refusal {
    /// Creates the refusal of an answer that nothing proves.
    static func unproven(_ reason: String, _ answer: UnsignedDocument?, found: String? = nil) -> Refusal {
        var canBeVouchedFor = false
        if case .verifyReceipt = answer { canBeVouchedFor = true }
        return Refusal(
            .channelNotAuthenticated, reason, expected: "a signed part, since nothing proves the origin of a file",
            found: found ?? "an answer of \(answer?.origin ?? "another service")",
            hint: canBeVouchedFor ? "Vouch for the answer with --trust-files of `ingest` or `quarantine retry`." : nil)
    }

    fileprivate static func malformed(_ member: String) -> Refusal {
        Refusal(
            .claimMalformed, "\(member) has another shape than Apple's", expected: "a list or an object",
            found: "another value", part: member)
    }

    fileprivate static let appMissing = Refusal(
        .claimMissing, "the notification does not name the app", expected: "bid, or exactly one configured app",
        found: "none")
}

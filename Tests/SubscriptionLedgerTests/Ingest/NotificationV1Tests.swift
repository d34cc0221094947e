import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import Ingestion
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `Notifications of version 1 in a ledger` {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let end = "1771156800000"

    /// A notification about the purchase with this id.
    private static func body(
        type: String = "DID_RENEW", password: String? = secret, id: String = "11", blob: String = "one",
        row: String = "", more: String = ""
    ) -> [UInt8] {
        let password = password.map { #""password":"\#($0)","# } ?? ""
        return Array(
            """
            {"notification_type":"\(type)",\(password)"environment":"PROD","bid":"\(Purchase.bundleId)",\(more)
            "unified_receipt":{"latest_receipt":"\(blob)","latest_receipt_info":[{"transaction_id":"\(id)",
            "original_transaction_id":"1","product_id":"pro","purchase_date_ms":"1768474800000",
            "expires_date_ms":"\(end)","in_app_ownership_type":"PURCHASED"\(row)}],
            "pending_renewal_info":[{"original_transaction_id":"1","product_id":"pro","auto_renew_status":"1"}]}}
            """.utf8)
    }

    private static func ingest(
        _ body: [UInt8], _ shop: TestLedger, _ kind: UnsignedText = .notification
    ) async throws -> IngestOutcome {
        let content = FoundArtifact.Content(artifact: body, unsigned: kind)
        return try await shop.ledger.append([await shop.ledger.check(content, source: .http)], source: .http)[0]
    }

    private static func code(_ outcome: IngestOutcome) -> String? {
        outcome.refusal?.code.rawValue
    }

    /// The receipt of a subscription with one purchase.
    private static func receipt() throws -> String {
        let row = [
            ReceiptAttribute(.transactionId, .text("11")), ReceiptAttribute(.originalTransactionId, .text("1")),
            ReceiptAttribute(.productId, .text("pro")), ReceiptAttribute(.productType, .integer(3)),
            ReceiptAttribute(.purchaseDate, .text("2026-01-15T11:00:00Z")),
            ReceiptAttribute(.expiresDate, .text("2026-02-15T12:00:00Z")),
        ]
        let attributes = [
            ReceiptAttribute(.receiptType, .text("Production")), ReceiptAttribute(.bundleId, .text(Purchase.bundleId)),
            ReceiptAttribute(.receiptCreationDate, .text("2026-01-15T11:30:00Z")),
        ]
        return Base64.encode(try ReceiptSigner.standard.sign(AppReceipt(attributes: attributes, inApp: [row])))
    }

    private static func isEntitled(_ shop: TestLedger) throws -> Bool? {
        try shop.reader.state(
            of: SubscriptionSelector(originalTransactionId: "1"), AsOfQuery(asOf: TestLedger.now)
        )?.subscriptions.first?.entitled
    }

    @Test func `are accepted by any secret of the app, and leave it nowhere`() async throws {
        let shop = try TestLedger(secrets: ["another", Self.secret])
        guard case .appended(let result) = try await Self.ingest(Self.body(), shop) else {
            Issue.record("refused")
            return
        }
        let record = try #require(try shop.reader.log.record(at: result.position))
        #expect(record.kind == .notificationV1Received && record.trust == .sharedSecret)
        #expect(record.flags.contains(.redacted))
        let evidence = String(decoding: try #require(try shop.reader.log.evidence(at: result.position)), as: UTF8.self)
        #expect(evidence.contains(#""password":"""#) && !evidence.contains(Self.secret))
        #expect(!String(decoding: record.body, as: UTF8.self).contains(Self.secret))
        shop.close()
        #expect(try await Self.audit(shop).firstBad == nil)
    }

    @Test(
        arguments: [
            ("another password", "wrong", "password_mismatch"), ("none", nil, "password_mismatch"),
            ("the digest of the secret", "sha256:" + Digest.sha256(of: secret.utf8).hex, "password_mismatch"),
        ] as [(String, String?, String)])
    func `are refused with`(_ title: String, _ password: String?, _ expected: String) async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        #expect(Self.code(try await Self.ingest(Self.body(password: password), shop)) == expected, "\(title)")
        #expect(try shop.events().isEmpty && shop.ledger.quarantine.size().items == 1)
    }

    @Test func `with the digest of the secret for a password are not accepted by a retry either`() async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        let digest = "sha256:" + Digest.sha256(of: Self.secret.utf8).hex
        _ = try await Self.ingest(Self.body(password: digest), shop)
        let name = try #require(try Quarantine.digests(in: shop.folder.quarantine).first)
        let content = try FoundArtifact(#require(try Quarantine.item(name, in: shop.folder.quarantine))).content.get()
        let checked = await shop.ledger.check(content, source: .http)
        #expect(Self.code(try await shop.ledger.append([checked], source: .http)[0]) == "password_mismatch")
    }

    @Test func `in quarantine need no secret if an operator vouches for them`() async throws {
        let shop = try TestLedger()
        #expect(Self.code(try await Self.ingest(Self.body(), shop)) == "password_mismatch")
        let name = try #require(try Quarantine.digests(in: shop.folder.quarantine).first)
        let item = try #require(try Quarantine.item(name, in: shop.folder.quarantine))
        for (isTrusted, code) in [(false, "password_mismatch"), (true, nil)] {
            let content = try FoundArtifact(item, isTrusted: isTrusted).content.get()
            let checked = await shop.ledger.check(content, source: .http)
            #expect(Self.code(try await shop.ledger.append([checked], source: .http)[0]) == code)
        }
        #expect(try shop.ledger.quarantine.size().items == 1)
        #expect(try shop.reader.log.record(at: 0)?.trust == .asserted)
        let evidence = String(decoding: try #require(try shop.reader.log.evidence(at: 0)), as: UTF8.self)
        #expect(evidence.contains(#""password":"""#))
    }

    @Test(arguments: [UnsignedText.notification, .assertedNotification])
    func `of another app are kept without the secret`(_ kind: UnsignedText) async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        for password in ["\"\(Self.secret)\"", "[\"\(Self.secret)\"]"] {
            let text = String(decoding: Self.body(), as: UTF8.self).replacing(
                Purchase.bundleId, with: "com.example.other"
            )
            .replacing("\"\(Self.secret)\"", with: password)
            #expect(Self.code(try await Self.ingest(Array(text.utf8), shop, kind)) != nil)
        }
        let names = try Quarantine.digests(in: shop.folder.quarantine)
        #expect(names.count == 2)
        for name in names {
            let item = try #require(try Quarantine.item(name, in: shop.folder.quarantine))
            #expect(!String(decoding: item.artifact, as: UTF8.self).contains(Self.secret))
        }
    }

    @Test func `refused by their password are kept without it, and accepted once it is configured`() async throws {
        let shop = try TestLedger(secrets: ["old"])
        _ = try await Self.ingest(Self.body(), shop)
        let digest = try #require(try Quarantine.digests(in: shop.folder.quarantine).first)
        let item = try #require(try Quarantine.item(digest, in: shop.folder.quarantine))
        #expect(!String(decoding: item.artifact, as: UTF8.self).contains(Self.secret))
        let content = try FoundArtifact(item).content.get()
        #expect(
            Self.code(try await Self.ingest(content.artifact, shop, .quarantinedNotification)) == "password_mismatch")
        let rotated = try TestLedger(secrets: ["old", Self.secret])
        let checked = await rotated.ledger.check(content, source: .http)
        guard case .appended = try await rotated.ledger.append([checked], source: .http)[0] else {
            Issue.record("refused")
            return
        }
        // The same notification, delivered again by Apple.
        guard case .appended(let again) = try await Self.ingest(Self.body(), rotated) else {
            Issue.record("refused")
            return
        }
        #expect(again.isDuplicate && !again.isAppended)
    }

    @Test(arguments: [
        ("bid", #""bid":"\#(Purchase.bundleId)""#, #""bid":"com.example.other""#, "bundle_unknown"),
        ("environment", #""environment":"PROD""#, #""environment":"Moon""#, "claim_missing"),
        ("date", #""purchase_date_ms":"1768474800000""#, #""purchase_date_ms":"1968474800000""#, "from_the_future"),
    ])
    func `are refused for another`(
        _ title: String, _ found: String, _ replacement: String, _ expected: String
    ) async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        let text = String(decoding: Self.body(), as: UTF8.self).replacing(found, with: replacement)
        #expect(Self.code(try await Self.ingest(Array(text.utf8), shop)) == expected, "\(title)")
    }

    @Test func `with another receipt are the same`() async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        let outcomes = [
            try await Self.ingest(Self.body(), shop), try await Self.ingest(Self.body(blob: "two"), shop),
            try await Self.ingest(Self.body(id: "12"), shop),
        ]
        let appended = outcomes.map { if case .appended(let result) = $0 { result.isAppended } else { false } }
        #expect(appended == [true, false, true])
    }

    @Test(arguments: [true, false])
    func `give up no receipt, whichever of two deliveries of one notification has it`(_ isFirst: Bool) async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        let (with, without) = (Self.body(blob: try Self.receipt()), Self.body(blob: "unreadable"))
        for body in isFirst ? [with, without] : [without, with] { _ = try await Self.ingest(body, shop) }
        #expect(try Self.isEntitled(shop) == true)
        #expect(try shop.events(.notificationV1Received).count == 1)
        #expect(try shop.events(.receiptVerified).count == (isFirst ? 0 : 1))
    }

    @Test func `with another cancellation of the same date are others`() async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        let row = #","cancellation_date_ms":"1768476000000""#
        for cancelled in ["", row] {
            let more = Self.body(type: "CANCEL", row: row)
            let second =
                #"{"transaction_id":"9","original_transaction_id":"1","product_id":"pro","#
                + #""purchase_date_ms":"1768400000000","expires_date_ms":"1768474800000"\#(cancelled)},"#
            let text = String(decoding: more, as: UTF8.self)
                .replacing(#""latest_receipt_info":["#, with: #""latest_receipt_info":["# + second)
            guard case .appended(let result) = try await Self.ingest(Array(text.utf8), shop), result.isAppended else {
                Issue.record("no event of its own: \(cancelled)")
                continue
            }
        }
    }

    @Test func `that repeat a grace period leave it as it is`() async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        func element(_ grace: String) -> String {
            #"{"original_transaction_id":"1","product_id":"pro","auto_renew_product_id":"pro","auto_renew_status":"1","#
                + #""is_in_billing_retry_period":"1","expiration_intent":"2"\#(grace)}"#
        }
        let purchase =
            #"{"transaction_id":"11","original_transaction_id":"1","product_id":"pro","#
            + #""purchase_date_ms":"1765796400000","expires_date_ms":"1768474800000"}"#
        let grace = #","grace_period_expires_date_ms":"1769000000000""#
        let answer =
            #"{"status":0,"environment":"Production","receipt":{"bundle_id":"\#(Purchase.bundleId)","#
            + #""request_date_ms":"1768475000000","in_app":[]},"latest_receipt_info":[\#(purchase)],"#
            + #""pending_renewal_info":[\#(element(grace))]}"#
        let content = FoundArtifact.Content(artifact: Array(answer.utf8), unsigned: .assertedAnswer)
        _ = try await shop.ledger.append([await shop.ledger.check(content, source: .file)], source: .file)
        func notification(_ grace: String, at change: Int64) -> [UInt8] {
            Array(
                (#"{"notification_type":"DID_FAIL_TO_RENEW","password":"\#(Self.secret)","environment":"PROD","#
                    + #""bid":"\#(Purchase.bundleId)","auto_renew_status_change_date_ms":"\#(change)","#
                    + #""unified_receipt":{"latest_receipt_info":[\#(purchase)],"#
                    + #""pending_renewal_info":[\#(element(grace))]}}"#).utf8)
        }
        func status() throws -> String? {
            try shop.reader.state(
                of: SubscriptionSelector(originalTransactionId: "1"), AsOfQuery(asOf: TestLedger.now)
            )?.subscriptions.first?.status
        }
        #expect(try status() == "gracePeriod")
        _ = try await Self.ingest(notification(grace, at: 1_768_476_000_000), shop)
        #expect(try status() == "gracePeriod")
        _ = try await Self.ingest(notification("", at: 1_768_477_000_000), shop)
        #expect(try status() == "billingRetry", "it may close")
    }

    @Test func `open nothing, and close what is known`() async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        _ = try await Self.ingest(Self.body(), shop)
        #expect(try Self.isEntitled(shop) == nil)
        _ = try await shop.ledger.post(
            TransactionPosting(signedTransactions: [], receipt: Self.receipt(), customerId: "alice"), by: .backend)
        #expect(try Self.isEntitled(shop) == true)
        let row = #","cancellation_date_ms":"1768476000000","cancellation_reason":"1""#
        _ = try await Self.ingest(Self.body(type: "CANCEL", row: row), shop)
        #expect(try Self.isEntitled(shop) == false)
        #expect(try shop.transitions().last?.cause == "V1/CANCEL")
    }

    @Test func `open what the receipt in them proves`() async throws {
        let shop = try TestLedger(secrets: [Self.secret])
        _ = try await Self.ingest(Self.body(blob: Self.receipt()), shop)
        #expect(try Self.isEntitled(shop) == true)
        shop.close()
        let report = try await Self.audit(shop)
        #expect(report.firstBad == nil && report.signatures == 1)
    }

    private static func audit(_ shop: TestLedger) async throws -> AuditReport {
        var options = LedgerAudit.Options()
        options.signatures = TrustPolicy(
            configuredRoots: [try ConfiguredRoot(file: ReceiptSigner.standard.rootCertificate)])
        return try await LedgerAudit(Ledger.Configuration(folder: shop.folder) { .latest }, options).run { _ in }
    }
}

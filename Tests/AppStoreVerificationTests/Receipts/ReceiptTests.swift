import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import CryptoExtras
import Primitives
import Testing

struct `App receipts` {
    @Test func `a receipt states its app and its purchases`() async throws {
        let container = try SampleReceipt.signer.sign(SampleReceipt.receipt())
        let verified = try await SampleReceipt.verify(container).get()
        let receipt = verified.receipt.payload
        #expect(receipt.environment == .sandbox && receipt.bundleId == Sample.bundleId)
        #expect(verified.proof.verifiedAt == Instant(iso8601: "2026-01-15T11:59:00Z"))
        #expect(verified.proof.isConfiguredRoot && verified.container == container)
        let purchase = try #require(receipt.purchases.rows.first)
        #expect(purchase.transactionId == "2000000000000002" && purchase.originalTransactionId == "2000000000000001")
        #expect(purchase.expiresDate == Instant(iso8601: "2026-02-15T10:00:00Z") && purchase.type == .autoRenewable)
        #expect(purchase.webOrderLineItemId == "77" && purchase.cancellationDate == nil && purchase.offer == nil)
    }

    @Test func `base64 with line breaks or without padding is the same receipt as DER`() async throws {
        let container = try SampleReceipt.signer.sign(SampleReceipt.receipt())
        let text = Base64.encode(container)
        var lines = ""
        for (index, character) in text.enumerated() { lines += index % 76 == 75 ? "\(character)\r\n" : "\(character)" }
        for form in [text, lines, String(text.prefix { $0 != "=" })] {
            #expect(try await SampleReceipt.verify(Array(form.utf8)).get().container == container)
        }
    }

    @Test func `anybody can change what surrounds the content, and it stays the same receipt`() async throws {
        let receipt = SampleReceipt.receipt()
        let container = try SampleReceipt.signer.sign(receipt)
        let content = try await SampleReceipt.verify(container).get().proof.signingInput
        #expect(content == .sha256(of: receipt.content))
        var reordered = ReceiptSigner.Options()
        reordered.certificateOrder = [2, 0, 1, 1]
        for changed in [container + [1, 2, 3], try SampleReceipt.signer.sign(receipt, reordered)] {
            let verified = try await SampleReceipt.verify(changed).get()
            #expect(verified.proof.signingInput == content && verified.proof.text != .sha256(of: container))
        }
    }

    @Test func `a receipt in one more octet string is read`() async throws {
        var options = ReceiptSigner.Options()
        options.isWrapped = true
        let verified = try await SampleReceipt.verify(try SampleReceipt.signer.sign(SampleReceipt.receipt(), options))
            .get()
        #expect(verified.receipt.payload.inApp.count == 1)
    }

    @Test(
        arguments: [
            ("claim_missing", [.bundleId: nil], TrustPolicy.App(bundleId: Sample.bundleId)),
            ("claim_missing", [.receiptCreationDate: nil], TrustPolicy.App(bundleId: Sample.bundleId)),
            ("claim_missing", [.receiptCreationDate: .text("yesterday")], TrustPolicy.App(bundleId: Sample.bundleId)),
            ("receipt_type_missing", [.receiptType: nil], TrustPolicy.App(bundleId: Sample.bundleId)),
            ("receipt_type_missing", [.receiptType: .text("Staging")], TrustPolicy.App(bundleId: Sample.bundleId)),
            ("environment_refused", [.receiptType: .text("Xcode")], TrustPolicy.App(bundleId: Sample.bundleId)),
            ("bundle_mismatch", [:], TrustPolicy.App(bundleId: "com.example.other")),
            (
                "environment_mismatch", [:],
                TrustPolicy.App(bundleId: Sample.bundleId, environments: [.production])
            ),
            (
                "from_the_future", [.receiptCreationDate: .text("2026-01-17T00:00:00Z")],
                TrustPolicy.App(bundleId: Sample.bundleId)
            ),
            (
                "chain_expired", [.receiptCreationDate: .text("2013-06-01T00:00:00Z")],
                TrustPolicy.App(bundleId: Sample.bundleId)
            ),
        ] as [(String, [ReceiptAttributeType: ReceiptAttribute.Value?], TrustPolicy.App)])
    func `a receipt that is not for this ledger is refused`(
        _ code: String, _ changes: [ReceiptAttributeType: ReceiptAttribute.Value?], _ app: TrustPolicy.App
    ) async throws {
        var trust = SampleReceipt.trust
        trust.apps = [app]
        let container = try SampleReceipt.signer.sign(SampleReceipt.receipt(changes))
        #expect(await SampleReceipt.verify(container, trust: trust).refusal?.code.rawValue == code)
    }

    @Test(arguments: [
        ("Production", Environment.production), ("ProductionVPP", .production), ("ProductionSandbox", .sandbox),
        ("ProductionVPPSandbox", .sandbox),
    ])
    func `the environment is in the type of the receipt`(_ type: String, _ environment: Environment) async throws {
        let receipt = SampleReceipt.receipt([.receiptType: .text(type)])
        let verified = try await SampleReceipt.verify(try SampleReceipt.signer.sign(receipt)).get()
        #expect(verified.receipt.payload.environment == environment)
    }

    @Test func `SHA-1 is accepted for receipts up to 24 January 2025, and for no later one`() async throws {
        var options = ReceiptSigner.Options()
        options.usesSHA1 = true
        for (date, code) in [("2025-01-24T23:59:59Z", nil), ("2025-01-25T00:00:00Z", "digest_unsupported")] {
            let receipt = SampleReceipt.receipt([.receiptCreationDate: .text(date)])
            let result = await SampleReceipt.verify(try SampleReceipt.signer.sign(receipt, options))
            #expect(result.refusal?.code.rawValue == code, "\(date)")
        }
    }

    @Test func `a signature by anybody else is refused`() async throws {
        let container = try SampleReceipt.signer.sign(SampleReceipt.receipt())
        #expect(await SampleReceipt.verify(container, trust: .sample).refusal?.code == .chainUntrusted)
        let forger = ReceiptSigner(
            certificates: SampleReceipt.signer.certificates, leafKey: try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let forged = try forger.sign(SampleReceipt.receipt())
        #expect(await SampleReceipt.verify(forged).refusal?.code == .signatureInvalid)
    }

    @Test func `a receipt belongs to the device whose hash it has`() async throws {
        let unhashed = SampleReceipt.receipt()
        let bundleId = ReceiptAttribute(.bundleId, .text(Sample.bundleId)).octets
        let hash = ReceiptSigner.deviceHash(guid: SampleReceipt.guid, opaque: [9, 8, 7], bundleIdOctets: bundleId)
        let hashed = try SampleReceipt.signer.sign(SampleReceipt.receipt([.sha1Hash: .octets(hash)]))
        func code(_ container: [UInt8], _ guid: [UInt8]?) async -> RefusalCode? {
            await SampleReceipt.verify(container, device: ReceiptDevice(guid: guid)).refusal?.code
        }
        #expect(await code(hashed, SampleReceipt.guid) == nil)
        #expect(await code(hashed, nil) == nil)
        #expect(await code(hashed, Array(2...17)) == .deviceHashMismatch)
        #expect(await code(try SampleReceipt.signer.sign(unhashed), SampleReceipt.guid) == .deviceHashMismatch)
    }

    @Test func `another version of the app is only a warning`() async throws {
        let container = try SampleReceipt.signer.sign(SampleReceipt.receipt())
        for (version, warning) in [("2.5", nil), ("3.0", "2.5")] as [(String, String?)] {
            let verified = try await SampleReceipt.verify(
                container, device: ReceiptDevice(applicationVersion: version)
            ).get()
            #expect(verified.otherApplicationVersion == warning)
        }
    }

    @Test func `a row that cannot be read is left out, and rows of one transaction are one statement`() async throws {
        let receipt = SampleReceipt.receipt(inApp: [
            SampleReceipt.purchase("1", [.webOrderLineItemId: nil]), SampleReceipt.purchase("2", [.productId: nil]),
            SampleReceipt.purchase("1", [.expiresDate: .text("2026-03-15T10:00:00Z")]),
            SampleReceipt.purchase("3", [.purchaseDate: .text("soon")]),
        ])
        let verified = try await SampleReceipt.verify(try SampleReceipt.signer.sign(receipt)).get()
        let (rows, unreadable) = verified.receipt.payload.purchases
        #expect(rows.map(\.transactionId) == ["1"] && unreadable == 2)
        #expect(rows[0].webOrderLineItemId == "77" && rows[0].expiresDate == Instant(iso8601: "2026-03-15T10:00:00Z"))
    }

    @Test(
        arguments: [
            (
                "a promotional id beats the flag of a trial",
                [.promotionalOfferId: .text("loyal"), .isTrialPeriod: .integer(1)], OfferType.promotional, true
            ),
            ("a free trial", [.isTrialPeriod: .integer(1)], .introductory, true),
            ("an introductory price", [.isInIntroOfferPeriod: .integer(1)], .introductory, false),
        ] as [(String, [ReceiptAttributeType: ReceiptAttribute.Value?], OfferType, Bool)])
    func `offers follow from ids and flags`(
        _ title: String, _ changes: [ReceiptAttributeType: ReceiptAttribute.Value?], _ type: OfferType, _ isFree: Bool
    ) throws {
        var attributes = SampleReceipt.purchase("1", changes)
        for (type, value) in changes where !attributes.contains(where: { $0.type == type }) {
            attributes.append(ReceiptAttribute(type, try #require(value)))
        }
        let offer = try #require(InAppPurchase(attributes)?.offer)
        #expect(offer.offerType == type && offer.isFreeTrial == isFree, "\(title)")
    }
}

import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives
import Testing

@Suite("Accepted input")
struct AcceptedInputTests {
    let verifier = SignedDataVerifier(trust: .sample)

    @Test func `a notification is verified with both JWS inside`() async throws {
        let jws = Sample.signer.sign(Sample.notification())
        let artifact = try await verifier.verify(jws.compact).get()
        guard case .notification(let notification) = artifact else {
            Issue.record("\(artifact.kind)")
            return
        }
        #expect(artifact.kind == .notification)
        #expect(artifact.jws?.text == jws.compact)
        #expect(notification.outer.payload.payload.notificationType == .didRenew)
        #expect(notification.outer.jws.payload.bytes == jws.payload)
        #expect(notification.transaction?.payload.payload.transactionId == "2000000000000002")
        #expect(notification.renewalInfo?.payload.payload.autoRenewStatus == .on)
        #expect(notification.appTransaction == nil)
        #expect(notification.restsOnConfiguredRoot)
        #expect(!notification.claimChecks.appAppleIdNotChecked)
    }

    @Test func `the proof names what was proven, when and by which certificates`() async throws {
        let jws = Sample.signer.sign(Sample.transaction())
        let proof = try await verifier.verify(jws.compact).get().proof
        #expect(proof.signingInput == Digest.sha256(of: jws.signingInput))
        #expect(proof.verifiedAt == Sample.signedDate)
        #expect(proof.signingTime == Sample.signedDate)
        #expect(proof.leaf == Digest.sha256(of: SigningAuthority.standard.leafCertificate))
        #expect(proof.root == Digest.sha256(of: SigningAuthority.standard.rootCertificate))
        #expect(proof.isConfiguredRoot)
    }

    @Test(arguments: [
        (Sample.notification(), ArtifactKind.notification), (Sample.rescindedConsent(), .notification),
        (Sample.transaction(), .transaction), (Sample.transaction(["transactionId": nil]), .transaction),
        (Sample.transaction(["transactionId": nil, "type": nil]), .transaction), (Sample.renewalInfo(), .renewalInfo),
        (Sample.renewalInfo(["autoRenewProductId": nil]), .renewalInfo),
        (Sample.renewalInfo(["autoRenewStatus": nil]), .renewalInfo), (Sample.appTransaction(), .appTransaction),
    ])
    func `the kind is told by the claims`(payload: JSONValue, kind: ArtifactKind) async throws {
        let bytes = Sample.signer.sign(payload).compact
        #expect(try await verifier.verify(bytes).get().kind == kind)
        #expect(try await verifier.verify(bytes, as: kind).get().kind == kind)
    }

    @Test(arguments: [
        Sample.transaction(["signedDate": .double(1_768_478_340_000.7297)]),
        Sample.transaction(["originalPurchaseDate": .integer(-62_135_769_600_000)]),
        Sample.transaction(["purchaseDate": .double(-1.5)]),
        Sample.transaction(["expiresDate": .integer(253_402_300_799_999)]),
        Sample.transaction(["type": .string("Barter"), "offerType": .integer(99), "revocationType": .string("WHIM")]),
        Sample.transaction(["price": .double(1.5), "quantity": .double(1e300), "expiresDate": .null]),
        Sample.transaction(["offerIdentifier": .string(""), "subscriptionGroupIdentifier": .string("")]),
        Sample.transaction(["commitmentInfo": .object([]), "advancedCommerceInfo": .null]),
        Sample.transaction(["fieldOfTomorrow": .object(["x": .array([.null])])]),
        Sample.notification(["notificationType": .string("OF_TOMORROW"), "subtype": .string("NEVER_SEEN")]),
        Sample.notification(["fieldOfTomorrow": .integer(1)], data: ["status": .integer(77), "y": .bool(true)]),
        Sample.notification(data: ["appAppleId": .integer(Sample.appAppleId)]),
        Sample.notification(data: ["signedRenewalInfo": nil]),
        Sample.notification(
            ["notificationType": .string("TEST")], data: ["signedTransactionInfo": nil, "signedRenewalInfo": nil]),
        Sample.notification(renewalInfo: Sample.renewalInfo(["productId": .string("com.example.app.other")])),
    ])
    func `odd dates, unknown words and unknown fields are accepted`(payload: JSONValue) async throws {
        let jws = Sample.signer.sign(payload)
        #expect(try await verifier.verify(jws.compact).get().jws?.payload.bytes == jws.payload)
    }

    @Test(arguments: ["\n", " \t\r\n", "\u{0B}\u{0C}"])
    func `white space around a JWS counts for nothing`(space: String) async throws {
        let jws = Sample.signer.sign(Sample.transaction())
        let artifact = try await verifier.verify(Array(space.utf8) + jws.compact + Array(space.utf8)).get()
        #expect(artifact.jws?.text == jws.compact)
    }

    @Test func `the other spelling of a signature is the same artifact`() async throws {
        let jws = Sample.signer.sign(Sample.transaction())
        #expect(jws.twin.signature != jws.signature)
        let proof = try await verifier.verify(jws.compact).get().proof
        #expect(try await verifier.verify(jws.twin.compact).get().proof.signingInput == proof.signingInput)
    }

    @Test func `a payload without signing time is verified at the time asked for, and says so`() async throws {
        var plan = SigningPlan()
        plan.leafValidity = .past
        let authority = try SigningAuthority.mint(plan)
        let verifier = SignedDataVerifier(trust: .trusting(authority))
        let bytes = JWSSigner(authority).sign(Sample.transaction(["signedDate": nil])).compact
        #expect(await verifier.verify(bytes).refusal?.code == .chainExpired)
        let past = Instant(milliseconds: 1_500_000_000_000)
        let proof = try await verifier.verify(bytes, now: Sample.now, fallbackTime: past).get().proof
        #expect(proof.verifiedAt == past)
        #expect(proof.signingTime == nil)
    }

    @Test func `certificates count at the signing time, whatever the clock says`() async throws {
        var plan = SigningPlan()
        plan.leafValidity = .past
        let authority = try SigningAuthority.mint(plan)
        let signer = JWSSigner(authority)
        let verifier = SignedDataVerifier(trust: .trusting(authority))
        let (first, last) = (plan.leafValidity.lowerBound, plan.leafValidity.upperBound)
        for (time, isAccepted) in [
            (first, true), (last, true), (first.advanced(byMilliseconds: -1), false),
            (last.advanced(byMilliseconds: 1), false),
        ] {
            let bytes = signer.sign(Sample.transaction(["signedDate": .integer(time.milliseconds)])).compact
            for _ in 1...2 {
                #expect(await verifier.verify(bytes).refusal?.code == (isAccepted ? nil : .chainExpired), "\(time)")
            }
        }
    }

    @Test func `24 hours ahead are accepted to the millisecond`() async throws {
        let limit = Sample.now.milliseconds + 86_400_000
        for payload in [
            Sample.transaction(["signedDate": .integer(limit)]), Sample.renewalInfo(["signedDate": .integer(limit)]),
            Sample.appTransaction(["receiptCreationDate": .integer(limit)]),
            Sample.notification(
                ["signedDate": .integer(limit)], transaction: Sample.transaction(["signedDate": .integer(limit)])),
        ] {
            _ = try await verifier.verify(Sample.signer.sign(payload).compact).get()
        }
    }
}

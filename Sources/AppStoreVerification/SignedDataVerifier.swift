@_spi(Verification) package import AppStoreModel
package import Primitives

/// Verifies artifacts that the App Store signs: as JWS, and receipts.
///
/// The order of checks of a JWS is fixed, and the first failure is the refusal: form, dates, header, algorithm, local
/// environment, certificate count, chain, validity, deny-list, markers, signature, types of claims, bundleId,
/// appAppleId, environment, signing time, nested artifacts. For a header that was accepted before, header, algorithm
/// and chain are not checked again.
package final class SignedDataVerifier: Sendable {
    package let trust: TrustPolicy
    private let mistyped: MistypedClaims
    private let chainPolicy: ChainPolicy
    private let chains = ChainCache()
    private let receiptChains = ReceiptChainCache()

    /// - Parameter mistyped: `.absent` verifies evidence in the log, which may predate the checking of types.
    package init(trust: TrustPolicy, mistyped: MistypedClaims = .refused) {
        self.trust = trust
        self.mistyped = mistyped
        chainPolicy = ChainPolicy(configuredRoots: trust.configuredRoots)
    }

    /// The number of cached chains, at most 256.
    package var cachedChainCount: Int { chains.count }

    /// Verifies one JWS or receipt.
    ///
    /// - Parameters:
    ///   - bytes: the compact form of a JWS, or a receipt in base64, white space around it allowed; or a receipt in DER.
    ///   - kind: nil to detect the kind from the form and the payload's claims.
    ///   - now: the ledger's clock; bounds signing times, and replaces a missing one.
    ///   - fallbackTime: the time for payloads without a signing time; nil for `now`.
    ///   - device: the device and the app that a receipt must be for.
    package func verify(
        _ bytes: [UInt8], as kind: ArtifactKind? = nil, now: Instant, fallbackTime: Instant? = nil,
        device: ReceiptDevice = ReceiptDevice()
    ) async -> Result<SignedArtifact, Refusal> {
        let clock = Clock(now: now, fallbackTime: fallbackTime ?? now)
        do throws(Refusal) {
            guard kind != .receipt, kind != nil || !ReceiptBytes.isReceipt(bytes) else {
                let verifier = ReceiptVerifier(trust: trust, chainPolicy: chainPolicy, chains: receiptChains)
                return .success(.receipt(try verifier.verify(bytes, now: now, device: device)))
            }
            let jws = try JWS(parsing: bytes)
            let kind = if let kind { kind } else { try ArtifactKind.detect(in: jws.payload.root) }
            switch kind {
            case .notification: return .success(.notification(try await notification(jws, clock)))
            case .transaction: return .success(.transaction(try await transaction(jws, clock)))
            case .renewalInfo: return .success(.renewalInfo(try await renewalInfo(jws, clock)))
            case .appTransaction: return .success(try await appTransaction(jws, clock))
            case .receipt: throw Refusal(.kindUnknown, "not a receipt", expected: "base64 or DER", found: "a JWS")
            }
        } catch {
            return .failure(error)
        }
    }

    struct Clock {
        let now: Instant
        let fallbackTime: Instant
    }

    private func notification(_ jws: JWS, _ clock: Clock) async throws(Refusal) -> SignedNotification {
        let outer = try await signed(jws, Notification.init, \.environment, \.signedDate, clock)
        let claims = outer.payload.payload
        let checks = try check(
            bundleId: claims.bundleId, appAppleId: claims.appAppleId, environment: claims.environment,
            signedDate: claims.signedDate, clock)
        let transaction = try await nested("signedTransactionInfo", claims.data?.signedTransactionInfo, clock) {
            (jws) throws(Refusal) in try await self.signed(jws, Transaction.init, \.environment, \.signedDate, clock)
        }
        let renewalInfo = try await nested("signedRenewalInfo", claims.data?.signedRenewalInfo, clock) {
            (jws) throws(Refusal) in try await self.signed(jws, RenewalInfo.init, \.environment, \.signedDate, clock)
        }
        let appTransaction = try await nested(
            "signedAppTransactionInfo", claims.appData?.signedAppTransactionInfo, clock
        ) { (jws) throws(Refusal) in
            try await self.signed(jws, AppTransaction.init, \.receiptType, \.receiptCreationDate, clock)
        }
        let notification = SignedNotification(
            outer: outer, transaction: transaction, renewalInfo: renewalInfo, appTransaction: appTransaction,
            claimChecks: checks)
        try checkNested(notification)
        return notification
    }

    private func transaction(_ jws: JWS, _ clock: Clock) async throws(Refusal) -> VerifiedJWS<Transaction> {
        let signed = try await signed(jws, Transaction.init, \.environment, \.signedDate, clock)
        let claims = signed.payload.payload
        try BundlePolicy.check(claims.bundleId, apps: trust.apps)
        try EnvironmentPolicy.check(claims.environment, allowed: trust.environments(of: claims.bundleId))
        try SigningTimePolicy.check(claims.signedDate, now: clock.now)
        return signed
    }

    private func renewalInfo(_ jws: JWS, _ clock: Clock) async throws(Refusal) -> VerifiedJWS<RenewalInfo> {
        let signed = try await signed(jws, RenewalInfo.init, \.environment, \.signedDate, clock)
        let claims = signed.payload.payload
        try EnvironmentPolicy.check(claims.environment, allowed: trust.environments)
        try SigningTimePolicy.check(claims.signedDate, now: clock.now)
        return signed
    }

    private func appTransaction(_ jws: JWS, _ clock: Clock) async throws(Refusal) -> SignedArtifact {
        let signed = try await signed(jws, AppTransaction.init, \.receiptType, \.receiptCreationDate, clock)
        let claims = signed.payload.payload
        let checks = try check(
            bundleId: claims.bundleId, appAppleId: claims.appAppleId, environment: claims.receiptType,
            signedDate: claims.receiptCreationDate, clock)
        return .appTransaction(signed, checks)
    }
}

extension SignedDataVerifier {
    /// Performs the checks that the four kinds share, from dates to types of claims.
    private func signed<Payload: Sendable>(
        _ jws: JWS, _ decode: PayloadDecoder<Payload>,
        _ environment: KeyPath<Payload, Environment?>, _ signingTime: KeyPath<Payload, Instant?>, _ clock: Clock
    ) async throws(Refusal) -> VerifiedJWS<Payload> {
        let words = UnverifiedWords()
        var (payload, malformedClaim) = try self.payload(of: jws, decode, unverified: words)
        let signedAt = payload[keyPath: signingTime]
        let verifiedAt = signedAt ?? clock.fallbackTime

        let environment = payload[keyPath: environment]
        let cached = chains.chain(for: jws)
        let chain: ValidatedChain
        if let cached {
            // The header was accepted before, but the local and the count check also depend on the payload.
            try LocalEnvironmentPolicy.check(environment, allowed: trust.environments)
            try CertificateCountPolicy.check(cached.certificateCount, environment: environment)
            chain = cached
        } else {
            chain = try await validateChain(of: jws, environment: environment)
        }
        try ValidityPolicy.check(chain, at: verifiedAt)
        try DenyListPolicy.check(chain, at: verifiedAt, denied: trust.deniedCertificates)
        try MarkerPolicy.check(chain.markers)
        let digests = try SignaturePolicy.check(jws, under: chain)
        if cached == nil { chains.insert(chain, for: jws) }
        if let malformedClaim { throw malformedClaim }
        if words.containNew { payload = try self.payload(of: jws, decode, unverified: nil).0 }
        return VerifiedJWS(
            jws: jws, payload: Verified(payload: payload),
            proof: Proof(
                signingInput: digests.signingInput, text: digests.text, verifiedAt: verifiedAt,
                hasSigningTime: signedAt != nil, leaf: chain.leaf,
                root: chain.root, isConfiguredRoot: chain.isConfiguredRoot))
    }

    /// Returns the claims of a payload. If a claim has the wrong type, returns the other claims and a refusal, which is
    /// thrown only after the signature check: header and chain are checked before the types of claims.
    private func payload<Payload>(
        of jws: JWS, _ decode: PayloadDecoder<Payload>, unverified words: UnverifiedWords?
    ) throws(Refusal) -> (Payload, malformedClaim: Refusal?) {
        do throws(PayloadError) {
            return (try decode(jws.payload.root, mistyped, words), nil)
        } catch {
            let refusal = Refusal(payload: error)
            guard refusal.code == .claimMalformed, let others = try? decode(jws.payload.root, .absent, words) else {
                throw refusal
            }
            return (others, refusal)
        }
    }

    private typealias PayloadDecoder<Payload> = (JSONView, MistypedClaims, UnverifiedWords?) throws(PayloadError) ->
        Payload

    private func validateChain(of jws: JWS, environment: Environment?) async throws(Refusal) -> ValidatedChain {
        let header = try jws.decodedHeader()
        try AlgorithmPolicy.check(header)
        try LocalEnvironmentPolicy.check(environment, allowed: trust.environments)
        let x5c = header["x5c"]?.elements ?? []
        try CertificateCountPolicy.check(x5c.count, environment: environment)
        return try await chainPolicy.validate(x5c: x5c)
    }

    private func check(
        bundleId: String?, appAppleId: Int64?, environment: Environment?, signedDate: Instant?, _ clock: Clock
    ) throws(Refusal) -> ClaimChecks {
        try BundlePolicy.check(bundleId, apps: trust.apps)
        let checks = try AppAppleIdPolicy.check(
            appAppleId, bundleId: bundleId, environment: environment, apps: trust.apps)
        try EnvironmentPolicy.check(environment, allowed: trust.environments(of: bundleId))
        try SigningTimePolicy.check(signedDate, now: clock.now)
        return checks
    }

    private func nested<Payload>(
        _ part: String, _ bytes: [UInt8]?, _ clock: Clock,
        _ verify: (JWS) async throws(Refusal) -> VerifiedJWS<Payload>
    ) async throws(Refusal) -> VerifiedJWS<Payload>? {
        guard let bytes else { return nil }
        do throws(Refusal) {
            let signed = try await verify(try JWS(parsing: bytes))
            try SigningTimePolicy.check(signed.proof.signingTime, now: clock.now)
            return signed
        } catch {
            throw error.inside(part)
        }
    }

    private func checkNested(_ notification: SignedNotification) throws(Refusal) {
        let outer = notification.outer.payload.payload
        let transaction = notification.transaction?.payload.payload
        if let transaction {
            try NestedPolicy.check(bundleId: transaction.bundleId, inside: outer, part: "signedTransactionInfo")
            try NestedPolicy.check(environment: transaction.environment, inside: outer, part: "signedTransactionInfo")
        }
        if let renewalInfo = notification.renewalInfo?.payload.payload {
            try NestedPolicy.check(environment: renewalInfo.environment, inside: outer, part: "signedRenewalInfo")
            try NestedPolicy.check(renewalInfo, beside: transaction)
        }
        if let app = notification.appTransaction?.payload.payload {
            try NestedPolicy.check(bundleId: app.bundleId, inside: outer, part: "signedAppTransactionInfo")
            try NestedPolicy.check(environment: app.receiptType, inside: outer, part: "signedAppTransactionInfo")
        }
    }
}

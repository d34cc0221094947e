@_spi(Verification) import AppStoreModel
import CMS
import Primitives

import enum Crypto.Insecure

/// Verifies app receipts of every age.
///
/// The order of checks is fixed, and the first failure is the refusal: form, content, local environment, attributes,
/// chain, validity at the creation date, deny-list, markers, SHA-1, signature, receipt type, bundleId, environment,
/// creation date, device.
struct ReceiptVerifier {
    let trust: TrustPolicy
    let chainPolicy: ChainPolicy
    let chains: ReceiptChainCache

    /// Apple signs nothing with SHA-1 after 2025-01-24.
    /// https://developer.apple.com/documentation/technotes/tn3138-handling-app-store-receipt-signing-certificate-changes
    private static let endOfSHA1 = Instant(milliseconds: 1_737_763_200_000)

    func verify(_ bytes: [UInt8], now: Instant, device: ReceiptDevice) throws(Refusal) -> VerifiedReceipt {
        let container = try ReceiptBytes.decoded(bytes)
        guard TransactionReceipt(container) == nil else {
            throw Refusal(
                .needsVerifyReceipt, "only Apple can verify a receipt of iOS 6",
                expected: "the receipt of the app, or a signed transaction", found: "a receipt of one transaction")
        }
        let message = try Refusal.rethrowing { () throws(CMSError) in try SignedMessage(parsing: container) }
        let receipt = try AppReceipt(asn1: message.content)
        try LocalEnvironmentPolicy.check(receipt.environment, allowed: trust.environments)
        let createdAt = try Self.creationDate(of: receipt)
        let (chain, key) = try chain(of: message, of: receipt, at: createdAt)
        try Refusal.rethrowing { () throws(CMSError) in try message.verifySignatures() }
        if let key { chains.insert(chain, for: key) }
        let validated = chain.chain
        try checkClaims(of: receipt, now: now)
        if let guid = device.guid { try DeviceHashPolicy.check(receipt, guid: guid) }
        return VerifiedReceipt(
            container: container, receipt: Verified(payload: receipt),
            proof: Proof(
                signingInput: .sha256(of: message.content), text: .sha256(of: container), verifiedAt: createdAt,
                hasSigningTime: true, leaf: validated.leaf, root: validated.root,
                isConfiguredRoot: validated.isConfiguredRoot),
            otherApplicationVersion: device.applicationVersion.flatMap { expected in
                receipt.applicationVersion.flatMap { $0 == expected ? nil : $0 }
            })
    }

    /// Returns the date for which the chain must be valid.
    private static func creationDate(of receipt: AppReceipt) throws(Refusal) -> Instant {
        guard receipt.bundleId != nil, !receipt.bundleIdOctets.isEmpty else {
            throw Refusal(.claimMissing, "the receipt has no bundle id", expected: "attribute 2", found: "none")
        }
        guard let createdAt = receipt.receiptCreationDate else {
            throw Refusal(
                .claimMissing, "the receipt has no creation date", expected: "attribute 12, an RFC 3339 date",
                found: receipt.attributes.text(.receiptCreationDate) ?? "none")
        }
        return createdAt
    }

    /// Returns the chain of a receipt, and the key for the cache; no key for a chain that is not cached.
    private func chain(
        of message: borrowing SignedMessage, of receipt: AppReceipt, at createdAt: Instant
    ) throws(Refusal) -> (ReceiptChain, key: Digest?) {
        let embedded = message.embeddedCertificates
        let found: ReceiptChain
        var (key, usesSHA1): (Digest?, Bool) = (nil, false)
        if embedded.count == 1, receipt.environment?.isLocal == true {
            let chain = try chainPolicy.localChain(of: try DecodedCertificate(der: embedded[0]))
            found = ReceiptChain(chain: chain, usesSHA1: false)
        } else {
            let signers = try Refusal.rethrowing { () throws(CMSError) in try message.signers() }
            usesSHA1 = signers.contains(where: \.usesSHA1)
            let name = ReceiptChainCache.key(signers.map(\.certificate), embedded)
            key = name
            if let known = chains.chain(for: name) {
                found = known
            } else {
                let path = try path(of: message, embedded)
                found = ReceiptChain(chain: try validated(path), usesSHA1: path.usesSHA1)
            }
        }
        try check(found, createdAt, usesSHA1: usesSHA1 || found.usesSHA1)
        return (found, key)
    }

    private func check(_ found: ReceiptChain, _ createdAt: Instant, usesSHA1: Bool) throws(Refusal) {
        try ValidityPolicy.check(found.chain, at: createdAt)
        try DenyListPolicy.check(found.chain, at: createdAt, denied: trust.deniedCertificates)
        try MarkerPolicy.check(found.chain.markers)
        guard !usesSHA1 || createdAt < Self.endOfSHA1 else {
            throw Refusal(
                .digestUnsupported, "the receipt is signed with SHA-1",
                expected: "SHA-256 for a receipt created after 2025-01-24", found: "SHA-1, created \(createdAt)")
        }
    }

    private func path(
        of message: borrowing SignedMessage, _ embedded: [[UInt8]]
    ) throws(Refusal) -> SignedMessage.Path {
        let pinned = embedded.filter { ApplePins.receipts.contains(.sha256(of: $0)) }
        let anchors = pinned + trust.configuredRoots.map(\.der)
        guard !anchors.isEmpty else {
            throw Refusal(
                .chainUntrusted, "the certificate chain does not end at a trusted root",
                expected: "Apple Root CA", found: "\(embedded.count) other certificates")
        }
        // One by one: of several anchors of one name OpenSSL tries only the first.
        var failure: CMSError?
        for anchor in anchors {
            do throws(CMSError) {
                return try message.path(to: anchor)
            } catch {
                failure = failure ?? error
            }
        }
        throw Refusal(failure ?? .signerMissing)
    }

    private func validated(_ path: SignedMessage.Path) throws(Refusal) -> ValidatedChain {
        guard path.certificates.count == 3 else {
            throw Refusal(
                .chainUntrusted, "the certificate chain has another length than Apple's",
                expected: "3 certificates", found: "\(path.certificates.count)")
        }
        let root = try DecodedCertificate(der: path.certificates[2])
        let isConfigured = !ApplePins.receipts.contains(root.fingerprint)
        return try ValidatedChain(
            leaf: try DecodedCertificate(der: path.certificates[0]),
            intermediate: try DecodedCertificate(der: path.certificates[1]), anchor: root.certificate,
            anchorFingerprint: root.fingerprint, isConfiguredRoot: isConfigured, isIntermediateMarked: isConfigured)
    }

    private func checkClaims(of receipt: AppReceipt, now: Instant) throws(Refusal) {
        guard let environment = receipt.environment else {
            throw Refusal(
                .receiptTypeMissing, "the receipt does not name its environment",
                expected: "attribute 0: Production, ProductionSandbox, ProductionVPP, ProductionVPPSandbox or Xcode",
                found: receipt.receiptType ?? "none")
        }
        try BundlePolicy.check(receipt.bundleId, apps: trust.apps)
        try EnvironmentPolicy.check(environment, allowed: trust.environments(of: receipt.bundleId))
        try SigningTimePolicy.check(receipt.receiptCreationDate, now: now)
    }
}

/// The receipt must be of the device that posts it.
/// https://developer.apple.com/documentation/appstorereceipts/validating_receipts_on_the_device
enum DeviceHashPolicy {
    static func check(_ receipt: AppReceipt, guid: [UInt8]) throws(Refusal) {
        var hash = Insecure.SHA1()
        hash.update(data: guid)
        hash.update(data: receipt.attributes.octets(.opaque) ?? [])
        hash.update(data: receipt.bundleIdOctets)
        let computed = Array(hash.finalize())
        guard let stated = receipt.attributes.octets(.sha1Hash), stated == computed else {
            throw Refusal(
                .deviceHashMismatch, "the receipt belongs to another device",
                expected: "the hash of the given device and of this receipt", found: "another hash")
        }
    }
}

extension Refusal {
    /// Runs `body`, and describes its error for people.
    static func rethrowing<Value: ~Copyable>(
        _ body: () throws(CMSError) -> Value
    ) throws(Refusal) -> Value {
        do throws(CMSError) {
            return try body()
        } catch {
            throw Refusal(error)
        }
    }

    init(_ error: CMSError) {
        switch error {
        case .malformed:
            self.init(
                .cmsMalformed, "not a receipt", expected: "a PKCS#7 container with signed content",
                found: "other bytes")
        case .tooMany(let found):
            self.init(.cmsMalformed, "too many parts in the receipt", expected: "as many as Apple's", found: found)
        case .signerMissing:
            self.init(
                .signerMissing, "the receipt is not signed", expected: "a signer with its certificate", found: "none")
        case .algorithmUnsupported(let found):
            self.init(
                .digestUnsupported, "the receipt is signed with another algorithm",
                expected: "RSA with SHA-1 or SHA-256", found: found)
        case .untrusted(let reason):
            self.init(
                .chainUntrusted, "the certificate chain does not end at a trusted root",
                expected: "a certificate chain to a trusted root", found: reason)
        case .signatureInvalid:
            self.init(.signatureInvalid, "the signature is invalid")
        }
    }
}

import Crypto
import X509

extension SigningAuthority {
    /// Creates a chain with new keys: root and intermediate on P-384, signed ecdsa-with-SHA384, and the leaf.
    ///
    /// Keys and signatures are random and differ in every run. Replays use `SigningAuthority.standard`.
    package static func mint(_ plan: SigningPlan = SigningPlan()) throws -> SigningAuthority {
        let root = try CertificateHolder("Simulation Root CA", key: .init(P384.Signing.PrivateKey()))
        let intermediate = try CertificateHolder("Simulation Developer CA", key: .init(P384.Signing.PrivateKey()))
        let leafKey = LeafKey(plan.leafCurve)
        let leaf = try CertificateHolder("Simulation Receipt Signing", key: leafKey.certificateKey)
        return SigningAuthority(
            certificates: [
                try intermediate.certify(leaf, as: .leaf(isMarked: plan.marksLeaf), validity: plan.leafValidity),
                try root.certify(
                    intermediate,
                    as: .intermediate(isMarked: plan.marksIntermediate, isAuthority: plan.intermediateIsAuthority),
                    validity: plan.intermediateValidity
                ),
                try root.certify(root, as: .root, validity: plan.rootValidity),
            ],
            leafKey: leafKey
        )
    }

    /// Creates two chains with one root, for an App Store that changes its certificates.
    package static func mintPair() throws -> (first: SigningAuthority, second: SigningAuthority) {
        let root = try CertificateHolder("Simulation Root CA", key: .init(P384.Signing.PrivateKey()))
        let validity = SigningPlan.lastingValidity
        let rootCertificate = try root.certify(root, as: .root, validity: validity)
        func chain() throws -> SigningAuthority {
            let intermediate = try CertificateHolder("Simulation Developer CA", key: .init(P384.Signing.PrivateKey()))
            let leafKey = LeafKey(.p256)
            let leaf = try CertificateHolder("Simulation Receipt Signing", key: leafKey.certificateKey)
            return SigningAuthority(
                certificates: [
                    try intermediate.certify(leaf, as: .leaf(isMarked: true), validity: validity),
                    try root.certify(
                        intermediate, as: .intermediate(isMarked: true, isAuthority: true), validity: validity),
                    rootCertificate,
                ],
                leafKey: leafKey)
        }
        return (try chain(), try chain())
    }

    /// Creates an authority like Xcode's on a developer's machine: one self-signed certificate without markers.
    package static func mintXcode() throws -> SigningAuthority {
        let leafKey = LeafKey(.p256)
        let holder = try CertificateHolder("StoreKit Testing in Simulation", key: leafKey.certificateKey)
        let certificate = try holder.certify(
            holder, as: .leaf(isMarked: false), validity: SigningPlan.lastingValidity)
        return SigningAuthority(certificates: [certificate], leafKey: leafKey)
    }
}

extension SigningAuthority.LeafKey {
    init(_ curve: SigningPlan.Curve) {
        switch curve {
        case .p256: self = .p256(P256.Signing.PrivateKey())
        case .p384: self = .p384(P384.Signing.PrivateKey())
        }
    }

    var certificateKey: Certificate.PrivateKey {
        switch self {
        case .p256(let key): Certificate.PrivateKey(key)
        case .p384(let key): Certificate.PrivateKey(key)
        }
    }
}

package import AppStoreSimulation
package import Primitives

/// The signers of a simulated App Store: one chain of certificates, and a second from an instant on.
package struct Signers: Sendable {
    private let first: JWSSigner
    private let second: (signer: JWSSigner, from: Instant)?

    /// - Parameter instant: when the certificates change; nil for never. The chains then have new keys in every run.
    package init(rotatingAt instant: Instant?) throws {
        guard let instant else {
            first = JWSSigner()
            second = nil
            return
        }
        let authorities = try SigningAuthority.mintPair()
        first = JWSSigner(authorities.first)
        second = (JWSSigner(authorities.second), instant)
    }

    package subscript(instant: Instant) -> JWSSigner {
        if let second, second.from <= instant { second.signer } else { first }
    }

    /// The root of both chains, in DER.
    package var rootCertificate: [UInt8] { first.authority.rootCertificate }
}

@_spi(Verification) package import AppStoreModel
package import Primitives

extension SignedJWS {
    /// Returns the payload as verified, without verifying it. For tests of the code behind the verifier.
    package func verified<Payload: Sendable>(
        _ decode: (JSONView) throws -> Payload
    ) throws -> Verified<Payload> {
        Verified(payload: try decode(JSONDocument(parsing: payload).root))
    }
}

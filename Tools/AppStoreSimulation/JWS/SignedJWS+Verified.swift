@_spi(Verification) package import AppStoreModel
package import Primitives

extension SignedJWS {
    /// The payload as a verifier would hand it on, for tests of what lies behind the verifiers.
    package func verified<Payload: Sendable>(
        _ decode: (JSONView) throws -> Payload
    ) throws -> Verified<Payload> {
        Verified(payload: try decode(JSONDocument(parsing: payload).root))
    }
}

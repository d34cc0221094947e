/// A value whose signature, chain and claims have been checked.
///
/// Only AppStoreVerification and, for tests, AppStoreSimulation create one: the initialiser is an SPI, and
/// `Tools/check` asserts which modules import it. Code that requires a `Verified` cannot receive unverified bytes.
public struct Verified<Payload: Sendable>: Sendable {
    public let payload: Payload

    @_spi(Verification)
    public init(payload: Payload) {
        self.payload = payload
    }
}

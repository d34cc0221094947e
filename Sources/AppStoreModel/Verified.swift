/// A value whose signature, chain and claims have been checked.
///
/// Only the verifiers and, for tests, AppStoreSimulation make one: the initialiser is an SPI, and `Tools/check`
/// asserts who imports it. Whoever demands a `Verified` cannot be handed unproven bytes.
public struct Verified<Payload: Sendable>: Sendable {
    public let payload: Payload

    @_spi(Verification)
    public init(payload: Payload) {
        self.payload = payload
    }
}

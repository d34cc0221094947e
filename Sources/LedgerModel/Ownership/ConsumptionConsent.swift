import Primitives

/// A customer's consent, or refusal, that Apple learns how much of a purchase they consumed. The newest of a customer
/// counts; without one there is no consent.
/// https://developer.apple.com/documentation/appstoreserverapi/customerconsented
package struct ConsumptionConsent: Hashable, Sendable {
    package let customer: CustomerHandle
    package let isGiven: Bool
    package let position: Position

    package init(customer: CustomerHandle, isGiven: Bool, position: Position) {
        self.customer = customer
        self.isGiven = isGiven
        self.position = position
    }
}

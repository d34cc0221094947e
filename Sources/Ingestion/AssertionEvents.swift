package import EventLog
import FactStore
package import LedgerModel
package import Primitives

/// Encodes what another system asserts about a transaction. No fold reads it.
package enum AssertionEvents {
    /// - Parameters:
    ///   - row: the assertion, an object without names of customers.
    ///   - system: the name of the other system.
    ///   - customer: the customer to whom the system assigns the transaction.
    package static func asserted(
        _ row: JSONValue, by system: String, about customer: CustomerHandle, environment: EnvironmentCode
    ) -> EventDraft {
        let body = JSONValue.object([
            .init("system", .string(system)), .init("handle", .string(customer.hex)), .init("row", row),
        ]).canonical()
        return EventDraft(
            kind: .rowAsserted, source: .import, environment: environment, artifact: .none, trust: .asserted,
            idempotencyKey: IdempotencyKey(
                artifact: .none, environment: environment, key: Digest.sha256(of: body).bytes),
            // Nobody signed it.
            verifiedAt: Instant(milliseconds: 0), body: body, attachment: IndexedFacts.none)
    }
}

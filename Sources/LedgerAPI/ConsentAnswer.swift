package import Primitives

/// The response to a recorded consent.
package struct ConsentAnswer: Hashable, Sendable {
    /// The caller's id of the customer.
    package let id: String
    package let consented: Bool

    package init(id: String, consented: Bool) {
        self.id = id
        self.consented = consented
    }
}

extension ConsentAnswer: JSONRepresentable {
    package var json: JSONValue { .object(["id": .string(id), "consented": .bool(consented)]) }
}

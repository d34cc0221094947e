import EventLog

/// The refusal of a request about customers. Two errors are equal when their codes are. No text repeats an id.
package struct CustomerError: Error, Equatable, Sendable {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A member of a body is malformed or unknown: 400.
        package static let postingMalformed = Code(rawValue: "posting_malformed")
        /// A customer id is empty, too long, or a dot segment: 400.
        package static let customerIdInvalid = Code(rawValue: "customer_id_invalid")
        /// Several subscriptions match, or one customer is given twice: 400.
        package static let parameterInvalid = Code(rawValue: "parameter_invalid")
        /// The role of the key does not allow it: 403.
        package static let roleForbidden = Code(rawValue: "role_forbidden")
        /// No customer has the handle: 404.
        package static let handleUnknown = Code(rawValue: "handle_unknown")
        /// No customer has the id: 404.
        package static let customerUnknown = Code(rawValue: "customer_unknown")
        /// No merge of the two is in force: 404.
        package static let mergeUnknown = Code(rawValue: "merge_unknown")
        /// No such subscription was observed: 404.
        package static let subscriptionUnknown = Code(rawValue: "subscription_unknown")
        /// Two known customers would become one: 409.
        package static let customerConflict = Code(rawValue: "customer_conflict")
        /// The subscription belongs to another customer: 409.
        package static let linkRefused = Code(rawValue: "link_refused")
    }

    package let code: Code
    package let message: String
    package let expected: String?
    package let found: String?
    package let hint: String?

    init(_ code: Code, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.expected = expected
        self.found = found
        self.hint = hint
    }

    package static func == (left: CustomerError, right: CustomerError) -> Bool { left.code == right.code }
}

extension CustomerError {
    package static func malformed(_ member: String, expected: String, found: String) -> CustomerError {
        CustomerError(.postingMalformed, "invalid value for \(member)", expected: expected, found: found)
    }

    static let handleUnknown = CustomerError(
        .handleUnknown, "no customer has this handle", expected: "a handle from an earlier answer",
        hint: "Post without a handle to get a new one.")

    static let customerUnknown = CustomerError(
        .customerUnknown, "no customer has this id", expected: "the id of a customer", found: "an unused id")

    /// - Parameter source: names the option as the caller writes it.
    static func handleKnown(_ source: EventSource) -> CustomerError {
        CustomerError(
            .customerConflict, "the handle belongs to a known customer",
            expected: "the handle of an anonymous customer", found: "the handle of another known customer",
            hint: "An administrator can merge the two with \(source == .operator ? "--merge" : "\"merge\": true").")
    }

    static let mergedIntoItself = CustomerError(
        .parameterInvalid, "a customer cannot be merged into itself", expected: "two customers", found: "one")

    static let mergeUnknown = CustomerError(
        .mergeUnknown, "no merge of these two customers is in force",
        expected: "a handle or an id that was merged into this customer", found: "none",
        hint: "Events of the kind customersMerged name the handles.")

    static let appNamesCustomer = CustomerError(
        .roleForbidden, "a key of role app may not name a customer by its id", expected: "handle or customerToken",
        found: "customerId",
        hint: "Let your backend sign a customer token for the signed-in user, or post with a backend key.")

    static let subscriptionUnknown = CustomerError(
        .subscriptionUnknown, "subscription not found", expected: "an originalTransactionId that was observed",
        found: "no observation")

    static let subscriptionAmbiguous = CustomerError(
        .parameterInvalid, "several subscriptions have this originalTransactionId",
        expected: "environment, bundleId or both", found: "several matches")

    static let linkRefused = CustomerError(
        .linkRefused, "the subscription belongs to another customer", expected: "a subscription that is free to claim",
        found: "a subscription of another known customer", hint: "Settle it with `subledger customer transfer`.")
}

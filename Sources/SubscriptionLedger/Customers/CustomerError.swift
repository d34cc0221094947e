import Ingestion
package import Primitives

/// The refusal of a request about customers. Two errors with the same code are equal. Texts contain no ids
/// of customers.
package struct CustomerError: DiagnosedError, Equatable, Sendable {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A malformed or unknown member of a body (400).
        package static let postingMalformed = Code(rawValue: "posting_malformed")
        /// A customer id that is empty, too long, or a dot segment (400).
        package static let customerIdInvalid = Code(rawValue: "customer_id_invalid")
        /// Several matching subscriptions, or one customer given twice (400).
        package static let parameterInvalid = Code(rawValue: "parameter_invalid")
        /// A request that the role of the key does not allow (403).
        package static let roleForbidden = Code(rawValue: "role_forbidden")
        /// A handle without a customer (404).
        package static let handleUnknown = Code(rawValue: "handle_unknown")
        /// An id without a customer (404).
        package static let customerUnknown = Code(rawValue: "customer_unknown")
        /// A merge that is not in force (404).
        package static let mergeUnknown = Code(rawValue: "merge_unknown")
        /// A subscription that was not observed (404).
        package static let subscriptionUnknown = Code(rawValue: "subscription_unknown")
        /// Two known customers that would become one (409).
        package static let customerConflict = Code(rawValue: "customer_conflict")
        /// A subscription of another customer (409).
        package static let linkRefused = Code(rawValue: CustomerEvents.linkRefusedCode)
        /// An app without a key for the App Store Server API (409).
        package static let keyNotConfigured = Code(rawValue: "key_not_configured")
        /// An offer that the catalogue does not have (404).
        package static let offerUnknown = Code(rawValue: "offer_unknown")
        /// An offer for which the customer is not eligible (409).
        package static let offerIneligible = Code(rawValue: "offer_ineligible")
        /// A customer without a known transaction (409).
        package static let transactionUnknown = Code(rawValue: "transaction_unknown")
        /// An id that is in signed data, which only an erasure with evidence forgets (409).
        package static let evidenceRequired = Code(rawValue: "evidence_required")
        /// A repeated Idempotency-Key with another request (409).
        package static let idempotencyKeyReused = Code(rawValue: "idempotency_key_reused")
    }

    package let code: Code
    package let diagnosis: Diagnosis

    init(_ code: Code, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil) {
        self.code = code
        diagnosis = Diagnosis(code.rawValue, message, expected: expected, found: found, hint: hint)
    }

    package static func == (left: CustomerError, right: CustomerError) -> Bool { left.code == right.code }
}

extension CustomerError {
    package static func malformed(_ member: String, expected: String, found: String) -> CustomerError {
        CustomerError(.postingMalformed, "invalid value for \(member)", expected: expected, found: found)
    }

    static let handleUnknown = CustomerError(
        .handleUnknown, "handle not found", expected: "a handle from an earlier answer",
        hint: "Post without a handle to create a new customer.")

    static let customerUnknown = CustomerError(
        .customerUnknown, "customer not found", expected: "the id of a customer", found: "an unknown id")

    /// - Parameter source: decides how the hint spells the option: for the command line or for a request body.
    static func handleKnown(_ source: EventSource) -> CustomerError {
        CustomerError(
            .customerConflict, "the handle belongs to a known customer",
            expected: "the handle of an anonymous customer", found: "the handle of another known customer",
            hint: "Merge them as an administrator with \(source == .operator ? "--merge" : "\"merge\": true").")
    }

    static let evidenceRequired = CustomerError(
        .evidenceRequired, "the id is an appAccountToken in signed data", expected: "an erasure with evidence",
        found: "an erasure without it", hint: "Use --with-evidence, or \"withEvidence\": true in a request.")

    static let mergedIntoItself = CustomerError(
        .parameterInvalid, "a customer cannot be merged into itself", expected: "two customers", found: "one")

    static let mergeUnknown = CustomerError(
        .mergeUnknown, "no merge of these customers is in force",
        expected: "the handle or the id of a customer merged into this customer", found: "none",
        hint: "See events of kind customersMerged for the handles.")

    static let appNamesCustomer = CustomerError(
        .roleForbidden, "customerId is not allowed for role app", expected: "handle or customerToken",
        found: "customerId",
        hint: "Use a customer token signed by your backend, or post with a backend key.")

    static let subscriptionUnknown = CustomerError(
        .subscriptionUnknown, "subscription not found", expected: "a known originalTransactionId",
        found: "an unknown originalTransactionId")

    static let subscriptionAmbiguous = CustomerError(
        .parameterInvalid, "several subscriptions match originalTransactionId",
        expected: "a unique match with environment and bundleId", found: "several matches")

    static let linkRefused = CustomerError(
        .linkRefused, "the subscription belongs to another customer", expected: "a claimable subscription",
        found: "a subscription of another known customer", hint: "Resolve it with `subledger customer transfer`.")
}

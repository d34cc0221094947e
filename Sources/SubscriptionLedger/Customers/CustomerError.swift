/// Why a request about customers cannot be answered as asked. Equality is on the code. Nothing in it repeats an id.
package struct CustomerError: Error, Equatable, Sendable {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A member of a posting is not what it must be: 400.
        package static let postingMalformed = Code(rawValue: "posting_malformed")
        /// A customer id is empty or too long: 400.
        package static let customerIdInvalid = Code(rawValue: "customer_id_invalid")
        /// No customer has the handle: 404.
        package static let handleUnknown = Code(rawValue: "handle_unknown")
        /// Id and handle name two customers: 409.
        package static let customerConflict = Code(rawValue: "customer_conflict")
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
    static func malformed(_ member: String, expected: String) -> CustomerError {
        CustomerError(.postingMalformed, "\(member) is not as it must be", expected: expected, found: "something else")
    }

    static let handleUnknown = CustomerError(
        .handleUnknown, "no customer has this handle", expected: "a handle from an earlier answer",
        hint: "Post without a handle to get a new one.")
}

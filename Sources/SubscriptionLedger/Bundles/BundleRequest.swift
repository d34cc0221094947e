package import AppStoreModel
package import LedgerModel
package import Primitives

/// A question for a bundle, as it is asked.
package struct BundleRequest: Sendable {
    package var subject: BundleSubject
    package var question: AsOfQuery
    /// Nil for any environment of a subscription, and for Production otherwise.
    package var environment: Environment?
    package var bundleId: String?
    /// Whether evidence that also concerns others is included as a whole.
    package var withOthers = false
    /// Whether the external id of the customer is included.
    package var withCustomerId = false
    /// An answer that somebody was given, to be compared.
    package var given: [UInt8]?
    /// The number of members of a cell whose events are included; nil for all.
    package var sample: Int?

    package init(_ subject: BundleSubject, _ question: AsOfQuery) {
        (self.subject, self.question) = (subject, question)
    }
}

/// A bundle that was written.
package struct WrittenBundle: Sendable {
    package let path: String
    package let positions: Int
    package let files: Int
    package let size: Position
    package let withheld: Int
    package let erased: Int

    package var json: JSONValue {
        .object([
            "path": .string(path), "positions": JSONValue(positions), "files": JSONValue(files),
            "size": .integer(Int64(clamping: size)), "withheld": JSONValue(withheld), "erased": JSONValue(erased),
        ])
    }
}

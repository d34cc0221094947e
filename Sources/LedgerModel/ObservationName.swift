package import Primitives

/// What an observation is called: the digest of the evidence that states it, and the place in that evidence.
///
/// The digest is that of the signing input of the innermost JWS, so that a transaction posted alone and the same
/// one nested in a notification are two events and one observation.
package struct ObservationName: Hashable, Sendable {
    package let digest: Digest
    /// Empty when the whole payload is the statement, as with every JWS.
    package let path: String

    package init(digest: Digest, path: String = "") {
        self.digest = digest
        self.path = path
    }
}

extension ObservationName: Comparable {
    package static func < (left: ObservationName, right: ObservationName) -> Bool {
        left.digest == right.digest ? left.path.bytesPrecede(right.path) : left.digest < right.digest
    }
}

package import Primitives

/// Identifies an observation: the digest of its evidence, and the path in that evidence.
///
/// The digest is that of the signing input of the innermost JWS. A transaction posted alone and the same one nested in
/// a notification are therefore two events and one observation.
package struct ObservationName: Hashable, Sendable {
    package let digest: Digest
    /// Empty when the whole payload is the statement, as in every JWS.
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

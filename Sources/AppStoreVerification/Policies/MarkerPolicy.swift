import SwiftASN1
import X509

/// Apple marks the certificates that sign for the App Store. Developer certificates chain to the same roots, so without
/// the markers anybody with a developer account could sign receipts.
enum MarkerPolicy {
    struct Markers: Sendable {
        let onLeaf: Bool
        let onIntermediate: Bool

        /// A single local certificate has no markers.
        static let notRequired = Markers(onLeaf: true, onIntermediate: true)

        private init(onLeaf: Bool, onIntermediate: Bool) {
            self.onLeaf = onLeaf
            self.onIntermediate = onIntermediate
        }

        /// - Parameter isIntermediateMarked: whether to take the intermediate for marked. Chains for tests of receipts
        ///   have no mark there, and below a root of its own nobody needs it.
        init(leaf: Certificate, intermediate: Certificate, isIntermediateMarked: Bool = false) {
            onLeaf = leaf.extensions.contains { $0.oid == [1, 2, 840, 113635, 100, 6, 11, 1] }
            onIntermediate =
                isIntermediateMarked
                || intermediate.extensions.contains { $0.oid == [1, 2, 840, 113635, 100, 6, 2, 1] }
        }
    }

    static func check(_ markers: Markers) throws(Refusal) {
        guard markers.onLeaf else {
            throw Refusal(
                .markerMissingLeaf, "the signing certificate is not an App Store certificate",
                expected: "extension 1.2.840.113635.100.6.11.1", found: "no such extension")
        }
        guard markers.onIntermediate else {
            throw Refusal(
                .markerMissingIntermediate, "the intermediate certificate is not an Apple WWDR certificate",
                expected: "extension 1.2.840.113635.100.6.2.1", found: "no such extension")
        }
    }
}

package import Primitives
import TransparencyLog

/// A proof that the tree of a size begins with the entries of the tree of another size (RFC 6962 §2.1.2).
package struct ConsistencyProof: Sendable {
    package let old: UInt64
    package let new: UInt64
    package let path: [Digest]

    package init(old: UInt64, new: UInt64, path: [Digest]) {
        (self.old, self.new, self.path) = (old, new, path)
    }

    package var json: JSONValue {
        .object([
            "old": .integer(Int64(clamping: old)), "new": .integer(Int64(clamping: new)),
            "path": .array(path.map { .string($0.hex) }),
        ])
    }

    /// Reads the RFC 8785 form of `json`; nil for other bytes.
    init?(bytes: [UInt8]) {
        guard let root = try? JSONDocument(parsing: bytes).root, let old = root["old"]?.integer,
            let new = root["new"]?.integer, let path = root["path"]?.elements, old >= 0, new >= 0
        else { return nil }
        let hashes = path.compactMap { $0.string.flatMap(Digest.init(hex:)) }
        guard hashes.count == path.count else { return nil }
        self.init(old: UInt64(old), new: UInt64(new), path: hashes)
        guard json.canonical() == bytes else { return nil }
    }

    package func verifies(_ oldRoot: Digest, _ newRoot: Digest) -> Bool {
        MerkleTree.verifyConsistency(oldSize: old, oldRoot: oldRoot, newSize: new, newRoot: newRoot, proof: path)
    }
}

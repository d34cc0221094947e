package import Primitives

/// A proof that an entry is in a log, which anybody can verify without the log (C2SP tlog-proof v1).
///
/// Its lines are a header, the index, the siblings from the leaf to the root, an empty line, and a signed checkpoint.
package struct LogProof: Sendable {
    package let index: UInt64
    /// The siblings from the leaf to the root.
    package let path: [Digest]
    /// The signed checkpoint, verbatim.
    package let note: [UInt8]

    private static let header = "c2sp.org/tlog-proof@v1"
    private static let indexPrefix = Array("index ".utf8)
    /// The depth of the largest tree.
    private static let pathMax = 64
    package static let bytesMax = SignedNote.bytesMax + 4_096

    package init(index: UInt64, path: [Digest], note: [UInt8]) {
        (self.index, self.path, self.note) = (index, path, note)
    }

    /// The text of the proof.
    package var bytes: [UInt8] {
        let hashes = path.map { Base64.encode($0.bytes) + "\n" }.joined()
        return Array("\(Self.header)\nindex \(index)\n\(hashes)\n".utf8) + note
    }

    /// Reads a proof in its only valid form. Extra data is refused: nothing authenticates it, and this log writes none.
    ///
    /// - Throws: `proofMalformed`.
    package init(bytes: [UInt8]) throws(TreeError) {
        guard bytes.count <= Self.bytesMax else { throw Self.malformed("at most \(Self.bytesMax) bytes", "more") }
        var rest = bytes[...]
        func line() -> ArraySlice<UInt8>? {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return rest[..<end]
        }
        guard line()?.elementsEqual(Self.header.utf8) == true else { throw Self.malformed(Self.header, "another line") }
        guard let second = line(), second.starts(with: Self.indexPrefix),
            let index = UInt64(canonicalDecimal: second.dropFirst(Self.indexPrefix.count))
        else { throw Self.malformed("index and a number in the second line", "another line") }
        var path: [Digest] = []
        while true {
            guard let next = line() else { throw Self.malformed("an empty line before the checkpoint", "none") }
            if next.isEmpty { break }
            guard path.count < Self.pathMax, let hash = next.withUnsafeBytes(Base64.decode).flatMap(Digest.init(bytes:))
            else { throw Self.malformed("at most \(Self.pathMax) hashes in base64", "another line") }
            path.append(hash)
        }
        self.init(index: index, path: path, note: Array(rest))
    }

    /// Whether the proof shows that the entry with a leaf hash is in the tree of a checkpoint.
    package func verifies(_ leafHash: Digest, in checkpoint: Checkpoint) -> Bool {
        MerkleTree.verifyInclusion(
            of: leafHash, at: index, size: checkpoint.size, root: checkpoint.root, proof: path)
    }

    private static func malformed(_ expected: String, _ found: String) -> TreeError {
        TreeError(.proofMalformed, "malformed proof of inclusion", expected: expected, found: found)
    }
}

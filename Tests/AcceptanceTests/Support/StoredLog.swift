import EventLog
import Primitives
import Testing

/// A log as it is on the disk, read by this process.
struct StoredLog {
    let head: TreeHead
    private let log: EventLog

    init(_ folder: DataFolder) throws {
        let configuration = EventLog.Configuration(directory: folder.log) { .latest }
        log = try EventLog(reading: configuration, origin: nil)
        head = try log.head()
    }

    /// Compares the evidence at some positions with what was acknowledged, byte for byte by its digest.
    func requireEvidence(at positions: some Sequence<UInt64>, of acknowledged: Acknowledgements) throws {
        for position in positions {
            let evidence = try #require(try log.evidence(at: position), "position \(position) is lost")
            let digest: Digest = evidence.isEmpty ? .zero : .sha256(of: evidence)
            try #require(digest == acknowledged.digests[position], "other evidence at position \(position)")
        }
    }

    /// Builds the tree anew from the records.
    func requireRoot() throws {
        try #require(ReferenceTree.root(of: try records()) == head.root)
    }

    /// Requires the log to begin with all that an earlier head vouches for.
    func requirePrefix(_ earlier: TreeHead) throws {
        try #require(head.size >= earlier.size, "\(head.size) events, \(earlier.size) before")
        try #require(ReferenceTree.root(of: try records(below: earlier.size)) == earlier.root)
    }

    private func records(below size: UInt64? = nil) throws -> [[UInt8]] {
        try (0..<(size ?? head.size)).map { try #require(try log.record(at: $0)).bytes }
    }
}

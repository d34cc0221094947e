import EventLog
import LedgerStorage
import Primitives
import Testing
import TransparencyLog

/// A stored log, read by this process.
struct StoredLog {
    let head: TreeHead
    private let log: LogReader

    init(_ folder: DataFolder) throws {
        let configuration = LogConfiguration(directory: folder.log)
        log = try LogReader(configuration)
        head = try log.head()
    }

    /// Requires the evidence at some positions to have the digests that were acknowledged.
    func requireEvidence(at positions: some Sequence<UInt64>, of acknowledged: Acknowledgements) throws {
        for position in positions {
            let evidence = try #require(try log.evidence(at: position), "position \(position) is lost")
            let digest: Digest = evidence.isEmpty ? .zero : .sha256(of: evidence)
            try #require(digest == acknowledged.digests[position], "other evidence at position \(position)")
        }
    }

    /// Recomputes the root from the records and requires it to equal the head's.
    func requireRoot() throws {
        try #require(ReferenceTree.root(of: try records()) == head.root)
    }

    /// Requires the log to begin with the events of an earlier head.
    func requirePrefix(_ earlier: TreeHead) throws {
        try #require(head.size >= earlier.size, "\(head.size) events, \(earlier.size) before")
        try #require(ReferenceTree.root(of: try records(below: earlier.size)) == earlier.root)
    }

    private func records(below size: UInt64? = nil) throws -> [[UInt8]] {
        try (0..<(size ?? head.size)).map { try #require(try log.record(at: $0)).bytes }
    }
}

import Glibc
import LMDB
import Primitives

/// Copies a log by position into a new environment, beside whoever writes.
///
/// The copy is of one size, fixed at the start, in batches that each commit: it can be stopped and goes on where it
/// was. The tree is built anew from the records and must come to the root of the original.
package struct LogBackup {
    private static let batch: UInt64 = 4_096

    private let source: EventLog
    private let head: TreeHead

    package init(of source: EventLog) throws {
        self.source = source
        head = try source.head()
    }

    /// How many events the copy has.
    package var size: UInt64 { head.size }

    /// - Parameters:
    ///   - directory: of the new environment; what an earlier attempt left there is gone on with.
    ///   - progress: called with the events copied, of how many; may throw to stop.
    /// - Throws: `log_corrupt` when the copy's root is not the original's, `io_error`, `disk_full`.
    package func copy(to directory: String, progress: (UInt64, UInt64) throws -> Void) throws {
        var options = Environment.Options()
        options.mapSizeBytes = try source.mapSizeBytes()
        do {
            let target = try LogStore(directory: directory, options: options, making: true)
            try copyMeta(to: target)
            var edge = try target.environment.read { transaction in
                try RightEdge(size: try target.head(transaction).size) { level, index in
                    try target.storedHash(transaction, level: level, index: index)
                }
            }
            while edge.size < head.size {
                try copyBatch(to: target, &edge)
                try progress(edge.size, head.size)
            }
            guard edge.root == head.root else {
                throw EventLogError(
                    .logCorrupt, "the copy does not have the root of the original", expected: head.root.hex,
                    found: edge.root.hex, hint: "Run `subledger audit verify --deep`.")
            }
            try SmallFile.syncFolder(of: "\(directory)/\(Environment.dataFileName)")
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the copy was not written")
        }
    }

    private func copyMeta(to target: LogStore) throws {
        let store = try source.core.store()
        for key in [MetaKey.layoutVersion, MetaKey.origin] {
            let value = try source.reading { transaction -> [UInt8]? in
                guard let value = try transaction.get(key.span.bytes, in: store.meta) else { return nil }
                return value.array(in: 0..<value.byteCount)
            }
            guard let value else { continue }
            try target.environment.write { try $0.put(value.span.bytes, at: key.span.bytes, in: target.meta) }
        }
    }

    private func copyBatch(to target: LogStore, _ edge: inout RightEdge) throws {
        let store = try source.core.store()
        let range = edge.size..<min(edge.size + Self.batch, head.size)
        try source.reading { reader in
            try target.environment.write { writer in
                var header = UInt64(try writer.statistics(of: target.headers).entries)
                while let text = try reader.get(header, in: store.headers) {
                    try writer.put(text, at: header, in: target.headers, .append)
                    header += 1
                }
                var completed: [StoredHash] = []
                for position in range {
                    guard let record = try store.record(reader, at: position) else {
                        throw EventLogError(.logCorrupt, "there is no record at position \(position)")
                    }
                    let leafHash = MerkleTree.leafHash(of: record.bytes)
                    let stored = record.bytes + leafHash.bytes
                    try writer.put(stored.span.bytes, at: position, in: target.records, .append)
                    if let evidence = try reader.get(position, in: store.evidence) {
                        try writer.put(evidence, at: position, in: target.evidence, .append)
                    }
                    edge.append(leafHash, completed: &completed)
                }
                for hash in completed {
                    let bytes = hash.hash.bytes
                    try writer.put(bytes.span.bytes, at: hash.index, in: target.tree[hash.level - 1], .append)
                }
                let head = TreeHead(size: edge.size, root: edge.root).bytes
                try writer.put(head.span.bytes, at: MetaKey.head.span.bytes, in: target.meta)
            }
        }
    }
}

import Glibc
import LMDB
import LedgerStorage
import Primitives
import TransparencyLog

/// Copies a log by position into a new environment, beside a running writer.
///
/// The size of the copy is fixed at the start. Each batch is committed, so an interrupted copy can be resumed. The tree
/// is rebuilt from the records and must have the root of the original.
package struct LogBackup {
    private static let batch: UInt64 = 4_096

    private let source: LogReader
    private let head: TreeHead
    /// The evidence that is not copied, with the place of its residue.
    private let erased: [UInt64: ResiduePlace]

    package init(of source: LogReader) throws { try self.init(of: source, without: [:]) }

    /// - Parameter erased: the evidence that is not copied, with the place of its residue.
    init(of source: LogReader, without erased: [UInt64: ResiduePlace]) throws {
        self.source = source
        self.erased = erased
        head = try source.head()
    }

    /// The number of events in the copy.
    package var size: UInt64 { head.size }

    /// - Parameters:
    ///   - directory: the directory of the new environment; an earlier attempt in it is resumed.
    ///   - progress: called with the number of events copied and the total; may throw to stop.
    /// - Throws: `log_corrupt` when the copy's root is not the original's, `io_error`, `disk_full`.
    package func copy(to directory: String, progress: (UInt64, UInt64) throws -> Void) throws {
        var options = Environment.Options()
        options.mapSizeBytes = try source.mapSizeBytes()
        do {
            let target = try LogStore(directory: directory, options: options, making: true)
            try copyMeta(to: target)
            var edge = try target.environment.read { transaction in
                try CompactRange(size: try target.head(transaction).size) { level, index in
                    try target.storedHash(transaction, level: level, index: index)
                }
            }
            while edge.size < head.size {
                try copyBatch(to: target, &edge)
                try progress(edge.size, head.size)
            }
            guard edge.root == head.root else {
                throw StorageError(
                    .logCorrupt, "the root of the copy differs from the original", expected: head.root.hex,
                    found: edge.root.hex, hint: "Run `subledger audit verify --deep`.")
            }
            try AtomicFile.syncFolder(of: "\(directory)/\(Environment.dataFileName)")
        } catch let error as LMDBError {
            throw StorageError(error, while: "writing the copy failed")
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

    private func copyBatch(to target: LogStore, _ edge: inout CompactRange) throws {
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
                        throw StorageError(.logCorrupt, "record at position \(position) is missing")
                    }
                    let leafHash = MerkleTree.leafHash(of: record.bytes)
                    let stored = record.bytes + leafHash.bytes
                    try writer.put(stored.span.bytes, at: position, in: target.records, .append)
                    if let place = erased[position] {
                        let bytes = place.bytes
                        try writer.put(bytes.span.bytes, at: position, in: target.evidence, .append)
                    } else if let evidence = try reader.get(position, in: store.evidence) {
                        try writer.put(evidence, at: position, in: target.evidence, .append)
                    }
                    edge.append(leafHash, completed: &completed)
                }
                for hash in completed {
                    let bytes = hash.hash.bytes
                    try writer.put(bytes.span.bytes, at: hash.index, in: target.tree[hash.level - 1], .append)
                }
                let (key, head) = (MetaKey.head, TreeHead(size: edge.size, root: edge.root).bytes)
                try writer.put(head.span.bytes, at: key.span.bytes, in: target.meta)
            }
        }
    }
}

import LMDB
package import Primitives

/// The databases of `log/`. All but `meta` are append-ordered, keyed by 8-byte native integers: with random keys
/// durable appends fall to a quarter.
final class LogStore: Sendable {
    /// Of the whole folder's layout; another number is refused.
    static let layoutVersion: UInt32 = 1
    /// 256^7 entries are out of reach.
    static let treeLevels = 1...7

    let environment: Environment
    let records: Database
    let evidence: Database
    let headers: Database
    let meta: Database
    /// `tree1` … `tree7`: index -> root of 256 complete children.
    let tree: [Database]

    /// - Parameter making: whether it need not be there; a log that is there has all its databases.
    init(directory: String, options: Environment.Options, making: Bool = false) throws {
        do throws(LMDBError) {
            environment = try Environment(directory: directory, options: options)
            let opened = try environment.openDatabases(Self.databases, creating: making)
            (records, evidence, headers, meta) = (opened[0], opened[1], opened[2], opened[3])
            tree = Array(opened[4...])
        } catch {
            throw EventLogError(opening: directory, error)
        }
    }

    static let databases: [(name: String, flags: Database.Flags)] =
        [("records", .integerKey), ("evidence", .integerKey), ("headers", .integerKey), ("meta", [])]
        + treeLevels.map { ("tree\($0)", .integerKey) }

    /// How many events there are and the root over them, as of the snapshot.
    ///
    /// A size beyond the last record is refused here, before anybody counts up to it.
    func head<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> TreeHead {
        guard let bytes = try transaction.get(MetaKey.head.span.bytes, in: meta) else { return .empty }
        guard bytes.byteCount == 8 + Digest.byteCount else {
            throw EventLogError(
                .logCorrupt, "the tree head is damaged", expected: "40 bytes", found: "\(bytes.byteCount) bytes")
        }
        let size = bytes.littleEndian(at: 0, as: UInt64.self)
        var cursor = try transaction.cursor(in: records)
        let last = try cursor.last()?.integerKey
        guard size == 0 || last.map({ size - 1 <= $0 }) ?? false else {
            throw EventLogError(
                .logCorrupt, "the tree head is beyond the last record", expected: "at most \(last ?? 0)",
                found: "\(size - 1)", hint: "Run `subledger audit verify --deep`.")
        }
        return TreeHead(size: size, root: bytes.digest(at: 8))
    }
}

/// Size and root of the tree.
package struct TreeHead: Hashable, Sendable {
    package let size: UInt64
    package let root: Digest

    package init(size: UInt64, root: Digest) {
        self.size = size
        self.root = root
    }

    package static let empty = TreeHead(size: 0, root: MerkleTree.emptyRoot)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(size)
        bytes.append(root)
        return bytes
    }
}

/// The few keys of `meta`, which alone are overwritten.
enum MetaKey {
    static let layoutVersion = Array("layout".utf8)
    static let origin = Array("origin".utf8)
    static let head = Array("head".utf8)
}

extension LogStore {
    /// A hash of the tree that is stored: of a leaf, behind its record, or of a complete tile.
    func storedHash<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, level: Int, index: UInt64
    ) throws -> Digest {
        let stored = try transaction.get(index, in: level == 0 ? records : tree[level - 1])
        guard let stored, stored.byteCount >= Digest.byteCount else {
            throw EventLogError(
                .logCorrupt, "a hash of the tree is missing", expected: "level \(level), index \(index)", found: "none",
                hint: "Run `subledger audit verify --deep`.")
        }
        return stored.digest(at: stored.byteCount - Digest.byteCount)
    }

    /// The record at a position of the snapshot; nil when there is none.
    func record<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, at position: UInt64
    ) throws -> StoredRecord? {
        guard let stored = try transaction.get(position, in: records) else { return nil }
        return try StoredRecord(stored, at: position)
    }

    /// The packed evidence of an event.
    func packedEvidence<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, at position: UInt64
    ) throws -> [UInt8]? {
        guard let stored = try transaction.get(position, in: evidence) else { return nil }
        return stored.array(in: 0..<stored.byteCount)
    }

    /// All interned headers, in the order of their numbers.
    func headerTexts<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> [[UInt8]] {
        var texts: [[UInt8]] = []
        while let stored = try transaction.get(UInt64(texts.count), in: headers) {
            guard let text = Sealed.text(in: stored) else {
                throw EventLogError(
                    .logCorrupt, "header \(texts.count) is damaged", hint: "Run `subledger audit verify --deep`.")
            }
            texts.append(text)
        }
        return texts
    }

    /// The origin that was drawn for this log; nil before that.
    func origin<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> String? {
        guard let stored = try transaction.get(MetaKey.origin.span.bytes, in: meta) else { return nil }
        guard let text = Sealed.text(in: stored) else {
            throw EventLogError(.logCorrupt, "the log's origin is damaged")
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil before the first opening.
    func layoutVersion<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> UInt32? {
        guard let stored = try transaction.get(MetaKey.layoutVersion.span.bytes, in: meta) else { return nil }
        guard let text = Sealed.text(in: stored), text.count == 4 else {
            throw EventLogError(.logCorrupt, "the layout's version is damaged")
        }
        return text.span.bytes.littleEndian(at: 0, as: UInt32.self)
    }
}

/// A text with its SHA-256 behind it, as records have their leaf hashes: what nothing else in the log vouches for.
enum Sealed {
    static func bytes(of text: [UInt8]) -> [UInt8] {
        text + Digest.sha256(of: text).bytes
    }

    /// Nil when the digest is not that of the text.
    static func text(in stored: RawSpan) -> [UInt8]? {
        let end = stored.byteCount - Digest.byteCount
        guard end >= 0 else { return nil }
        let text = stored.array(in: 0..<end)
        return Digest.sha256(of: text) == stored.digest(at: end) ? text : nil
    }
}

/// A record as it is stored, with its leaf hash behind it.
struct StoredRecord {
    let record: Record
    let bytes: [UInt8]
    let leafHash: Digest

    /// - Throws: `log_corrupt` when the bytes are no record of that position. The hash is checked by audits.
    init(_ stored: RawSpan, at position: UInt64) throws(EventLogError) {
        let end = stored.byteCount - Digest.byteCount
        do throws(RecordError) {
            guard end >= Record.fixedByteCount else {
                throw RecordError(what: "\(stored.byteCount) bytes")
            }
            record = try Record(reading: stored.extracting(0..<end))
            guard record.position == position else { throw RecordError(what: "position \(record.position)") }
        } catch {
            throw EventLogError(
                .logCorrupt, "the record at position \(position) is damaged", expected: "a record of format 1",
                found: error.what, hint: "Run `subledger audit verify --deep`.")
        }
        bytes = stored.array(in: 0..<end)
        leafHash = stored.digest(at: end)
    }
}

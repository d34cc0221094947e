import LMDB
import LedgerStorage
import Primitives
import TransparencyLog

/// The databases of `log/`. All except `meta` are append-ordered, with 8-byte native integers as keys. Random keys
/// would reduce the rate of durable appends to a quarter.
final class LogStore: Sendable {
    /// The layout version of the data folder; any other version is refused.
    static let layoutVersion: UInt32 = 1
    /// The stored levels of the tree. 256^7 entries are out of reach.
    static let treeLevels = 1...7

    let environment: Environment
    let records: Database
    let evidence: Database
    let headers: Database
    let meta: Database
    /// `tree1` … `tree7`: index -> root of 256 complete children.
    let tree: [Database]

    /// - Parameter making: whether to create missing databases; an existing log has all of them.
    init(directory: String, options: Environment.Options, making: Bool = false) throws {
        do throws(LMDBError) {
            environment = try Environment(directory: directory, options: options)
            let opened = try environment.openDatabases(Self.databases, creating: making)
            (records, evidence, headers, meta) = (opened[0], opened[1], opened[2], opened[3])
            tree = Array(opened[4...])
        } catch {
            throw StorageError(opening: directory, error)
        }
    }

    static let databases: [(name: String, flags: Database.Flags)] =
        [("records", .integerKey), ("evidence", .integerKey), ("headers", .integerKey), ("meta", [])]
        + treeLevels.map { ("tree\($0)", .integerKey) }

    /// Returns the number of events and the root over them, as of the snapshot.
    ///
    /// A size beyond the last record is refused here, before any caller counts up to it.
    func head<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> TreeHead {
        guard let bytes = try transaction.get(MetaKey.head.span.bytes, in: meta) else { return .empty }
        guard let head = TreeHead(bytes) else {
            throw StorageError(
                .logCorrupt, "the tree head is damaged", expected: "\(TreeHead.byteCount) bytes",
                found: "\(bytes.byteCount) bytes")
        }
        var cursor = try transaction.cursor(in: records)
        let last = try cursor.last()?.integerKey
        guard head.size == 0 || last.map({ head.size - 1 <= $0 }) ?? false else {
            throw StorageError(
                .logCorrupt, "the tree head is beyond the last record", expected: "at most \(last ?? 0)",
                found: "\(head.size - 1)", hint: "Run `subledger audit verify --deep`.")
        }
        return head
    }
}

/// The keys of `meta`, the only database whose values are overwritten.
enum MetaKey {
    static let layoutVersion = Array("layout".utf8)
    static let origin = Array("origin".utf8)
    static let head = Array("head".utf8)
}

extension LogStore {
    /// Returns a stored hash of the tree: that of a leaf, which follows its record, or that of a complete tile.
    func storedHash<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, level: Int, index: UInt64
    ) throws -> Digest {
        let stored = try transaction.get(index, in: level == 0 ? records : tree[level - 1])
        guard let stored, stored.byteCount >= Digest.byteCount else {
            throw StorageError(
                .logCorrupt, "a tree hash is missing", expected: "level \(level), index \(index)", found: "none",
                hint: "Run `subledger audit verify --deep`.")
        }
        return stored.digest(at: stored.byteCount - Digest.byteCount)
    }

    /// Returns the record at a position of the snapshot; nil when there is none.
    func record<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, at position: UInt64
    ) throws -> StoredRecord? {
        guard let stored = try transaction.get(position, in: records) else { return nil }
        return try StoredRecord(stored, at: position)
    }

    /// Returns the evidence of a record, as stored and unpacked by `unpack`; nil when it cannot be restored.
    func evidence<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, of record: Record, _ unpack: ([UInt8], Int) -> [UInt8]?
    ) throws -> EventEvidence? {
        let length = Int(record.evidenceLength)
        guard length > 0 else { return .verbatim([]) }
        guard let stored = try transaction.get(record.position, in: evidence) else { return nil }
        guard let place = ResiduePlace(stored) else {
            return unpack(stored.array(in: 0..<stored.byteCount), length).map { .verbatim($0) }
        }
        return try residue(transaction, at: place, of: record.position).map { .erased($0) }
    }

    /// Returns the place of the residue of erased evidence; nil for other evidence.
    func residuePlace<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, at position: UInt64
    ) throws -> ResiduePlace? {
        guard let stored = try transaction.get(position, in: evidence) else { return nil }
        return ResiduePlace(stored)
    }

    /// Residues are stored raw, so a line is read without the rest.
    private func residue<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, at place: ResiduePlace, of position: UInt64
    ) throws -> ErasedEvidence? {
        guard let stored = try transaction.get(place.erasedBy, in: evidence), stored.byteCount > 0,
            stored.byte(at: 0) == EvidencePacker.rawVersion, place.range.upperBound < stored.byteCount
        else { return nil }
        // The first byte is the version.
        let line = stored.array(in: place.range.lowerBound + 1..<place.range.upperBound + 1)
        let erased = ErasedEvidence(erasedBy: place.erasedBy, residue: line)
        return erased.isAbout(position) ? erased : nil
    }

    /// Returns all interned headers, in the order of their numbers.
    func headerTexts<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> [[UInt8]] {
        var texts: [[UInt8]] = []
        while let stored = try transaction.get(UInt64(texts.count), in: headers) {
            guard let text = DigestSuffixed.text(in: stored) else {
                throw StorageError(
                    .logCorrupt, "header \(texts.count) is damaged", hint: "Run `subledger audit verify --deep`.")
            }
            texts.append(text)
        }
        return texts
    }

    /// Returns the origin of the log; nil when it is missing.
    func origin<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> String? {
        guard let stored = try transaction.get(MetaKey.origin.span.bytes, in: meta) else { return nil }
        guard let text = DigestSuffixed.text(in: stored) else {
            throw StorageError(.logCorrupt, "the log origin is damaged")
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the layout version of the log; nil when it is missing.
    func layoutVersion<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> UInt32? {
        guard let stored = try transaction.get(MetaKey.layoutVersion.span.bytes, in: meta) else { return nil }
        guard let text = DigestSuffixed.text(in: stored), text.count == 4 else {
            throw StorageError(.logCorrupt, "the layout version is damaged")
        }
        return text.span.bytes.littleEndian(at: 0, as: UInt32.self)
    }
}

/// A text followed by its SHA-256, as a record is by its leaf hash. It protects values that no other hash covers.
enum DigestSuffixed {
    static func bytes(of text: [UInt8]) -> [UInt8] {
        text + Digest.sha256(of: text).bytes
    }

    /// Returns the text; nil when the digest does not match.
    static func text(in stored: RawSpan) -> [UInt8]? {
        let end = stored.byteCount - Digest.byteCount
        guard end >= 0 else { return nil }
        let text = stored.array(in: 0..<end)
        return Digest.sha256(of: text) == stored.digest(at: end) ? text : nil
    }
}

/// A record as stored, followed by its leaf hash.
struct StoredRecord {
    let record: Record
    let bytes: [UInt8]
    let leafHash: Digest

    /// - Throws: `log_corrupt` when the bytes are not a record of that position. Audits check the hash.
    init(_ stored: RawSpan, at position: UInt64) throws(StorageError) {
        let end = stored.byteCount - Digest.byteCount
        do throws(RecordError) {
            guard end >= Record.fixedByteCount else {
                throw RecordError(what: "\(stored.byteCount) bytes")
            }
            record = try Record(reading: stored.extracting(0..<end))
            guard record.position == position else { throw RecordError(what: "position \(record.position)") }
        } catch {
            throw StorageError(
                .logCorrupt, "the record at position \(position) is damaged", expected: "a record of format 1",
                found: error.what, hint: "Run `subledger audit verify --deep`.")
        }
        bytes = stored.array(in: 0..<end)
        leafHash = stored.digest(at: end)
    }
}

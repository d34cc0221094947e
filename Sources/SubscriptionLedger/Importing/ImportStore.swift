import Glibc
import LMDB
import LedgerStorage
import Primitives

/// The imports in `data/imports/`: the received rows until all have a verdict, and the verdicts for good.
final class ImportStore: Sendable {
    /// The stored state of a row.
    enum State: Hashable, Sendable {
        /// Apple is being asked. What the log has of the row may be a part.
        case asking
        case decided(ImportVerdict)
    }

    let folder: Folder
    private let environment: LMDB.Environment
    private let verdicts: Database

    private static let mapSizeBytes = 64 << 30
    private static let database: (name: String, flags: Database.Flags) = ("verdicts", [])
    static let rowsSuffix = ".rows"
    /// Above every line.
    private static let endOfImport = Int.max

    /// - Throws: `io_error`, `disk_full`, `log_corrupt`.
    init(_ data: DataFolder) throws {
        folder = Folder(data.imports)
        try folder.create()
        do throws(LMDBError) {
            var options = LMDB.Environment.Options()
            options.mapSizeBytes = Self.mapSizeBytes
            try LMDB.Environment.makeIfMissing(in: folder.path, options: options) { environment throws(LMDBError) in
                _ = try environment.openDatabases([Self.database])
            }
            environment = try LMDB.Environment(directory: folder.path, options: options)
            verdicts = try environment.openDatabases([Self.database], creating: false)[0]
        } catch {
            throw StorageError(opening: folder.path, error)
        }
        // A file that a crash interrupted was not acknowledged.
        for name in try folder.names() where name.hasSuffix(IncomingImport.suffix) { unlink("\(folder.path)/\(name)") }
    }

    /// Returns what is stored about a row; nil for nothing.
    func state(of digest: Digest, line: Int) throws -> State? {
        try reading { transaction in
            guard let stored = try transaction.get(Self.key(digest, line).span.bytes, in: verdicts) else {
                return nil
            }
            return State(stored.withUnsafeBytes { Array($0) })
        }
    }

    /// Stores the states of rows durably.
    func store(_ states: [Int: State], of digest: Digest) throws {
        guard !states.isEmpty else { return }
        do {
            try environment.write { transaction in
                for (line, state) in states.sorted(by: { $0.key < $1.key }) {
                    try transaction.put(state.bytes.span.bytes, at: Self.key(digest, line).span.bytes, in: verdicts)
                }
            }
        } catch let error as LMDBError {
            throw StorageError(error, while: "storing the verdicts of an import failed")
        }
    }

    /// Returns up to `limit` verdicts after a line.
    func verdicts(of digest: Digest, after line: Int, limit: Int) throws -> [ImportLine] {
        try reading { transaction in
            var found: [ImportLine] = []
            var cursor = try transaction.cursor(in: verdicts)
            var entry = try cursor.seek(Self.key(digest, line + 1).span.bytes)
            while found.count < limit, let row = entry {
                var key = row.key.withUnsafeBytes { Array($0) }[...]
                guard key.starts(with: digest.bytes) else { break }
                key = key.dropFirst(Digest.byteCount)
                if let line = Int64(taking: &key), line != Int64(Self.endOfImport),
                    case .decided(let verdict) = State(row.value.withUnsafeBytes { Array($0) })
                {
                    found.append(ImportLine(line: Int(line), verdict: verdict))
                }
                entry = try cursor.next()
            }
            return found
        }
    }

    private func reading<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        do {
            return try environment.read(body)
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading an import failed")
        }
    }

    private static func key(_ digest: Digest, _ line: Int) -> [UInt8] { digest.bytes + Int64(line).bigEndianBytes }
}

extension ImportStore {
    /// Whether every row of the file has a verdict.
    func isComplete(_ digest: Digest) throws -> Bool { try state(of: digest, line: Self.endOfImport) != nil }

    /// Notes that every row has a verdict, and removes the rows.
    func complete(_ file: ImportFile) throws {
        try store([Self.endOfImport: .decided(ImportVerdict(.known))], of: file.digest)
        unlink(file.path)
    }

    func path(of digest: Digest) -> String { "\(folder.path)/\(digest.hex)\(Self.rowsSuffix)" }

    /// Returns the files with rows that have no verdict, in no particular order.
    func openFiles() throws -> [ImportFile] {
        try folder.names().filter { $0.hasSuffix(Self.rowsSuffix) }.compactMap { name -> ImportFile? in
            guard let digest = Digest(hex: String(name.dropLast(Self.rowsSuffix.count))) else { return nil }
            return ImportFile(digest, "\(folder.path)/\(name)")
        }
    }
}

extension ImportStore.State {
    private static let askingWord = "asking"

    fileprivate var bytes: [UInt8] {
        switch self {
        case .asking: Array(Self.askingWord.utf8)
        case .decided(let verdict):
            Array([verdict.word.rawValue, verdict.code].compactMap(\.self).joined(separator: " ").utf8)
        }
    }

    fileprivate init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
        guard let first = words.first else { return nil }
        if first == Self.askingWord {
            self = .asking
        } else {
            guard let word = ImportVerdict.Word(rawValue: first) else { return nil }
            self = .decided(ImportVerdict(word, words.count > 1 ? words[1] : nil))
        }
    }
}

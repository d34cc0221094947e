import Glibc
import HashIndex
import LMDB
import LedgerModel
import LedgerStorage
import Primitives
import Synchronization

/// The databases of a folder of facts: facts by position, and an index over them. They can be rebuilt from the log.
final class FactDatabase: Sendable {
    private let environment: LMDB.Environment
    /// position -> recordedAt, facts
    let facts: Database
    /// term -> the positions of its events
    let terms: HashIndex
    /// symbol's number -> text
    private let symbols: Database
    private let numbering = Mutex(SymbolNumbering())
    private let meta: Database

    private static let sizeKey = Array("size".utf8)
    private static let layoutKey = Array("layout".utf8)
    private static let codecKey = Array("codec".utf8)
    /// The layout version, which is part of the folder's name. A new one is needed for other databases, index terms or
    /// stored facts, so also for every new version of `FactCodec`.
    static let layout: UInt64 = 11

    static func exists(in directory: String) -> Bool {
        access("\(directory)/\(LMDB.Environment.dataFileName)", F_OK) == 0
    }

    /// - Throws: `version_unknown` when the environment has another layout or codec; `log_corrupt` when it is damaged.
    convenience init(directory: String, mapSizeBytes: Int, readOnly: Bool) throws {
        do {
            try self.init(opening: directory, mapSizeBytes: mapSizeBytes, readOnly: readOnly)
        } catch let error as LMDBError {
            var failure = StorageError(opening: directory, error)
            if failure.code == .logCorrupt { failure.diagnosis.hint = StorageError.rebuildHint }
            throw failure
        }
    }

    private init(opening directory: String, mapSizeBytes: Int, readOnly: Bool) throws {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = mapSizeBytes
        options.readOnly = readOnly
        if !readOnly { try Self.makeIfMissing(in: directory, options) }
        environment = try LMDB.Environment(directory: directory, options: options)
        meta = try environment.openDatabase("meta")
        let found = try environment.read { [meta] in
            Self.versionText(try $0.number(Self.layoutKey, in: meta), try $0.number(Self.codecKey, in: meta))
        }
        let known = Self.versionText(Self.layout, UInt64(FactCodec.version))
        guard found == known else {
            throw StorageError(
                .versionUnknown, "unsupported version of the facts in \(directory)", expected: known, found: found,
                hint: "Use the version of subledger that wrote them. \(StorageError.rebuildHint)")
        }
        facts = try environment.openDatabase("facts", flags: .integerKey)
        symbols = try environment.openDatabase("symbols", flags: .integerKey)
        terms = HashIndex(try environment.openDatabases(Self.termDatabases))
    }

    private static func versionText(_ layout: UInt64?, _ codec: UInt64?) -> String {
        "layout \(layout.map { "\($0)" } ?? "none"), codec \(codec.map { "\($0)" } ?? "none")"
    }

    private static let termDatabases = HashIndex.databases("terms")
    static let databases: [(name: String, flags: Database.Flags)] =
        [("meta", []), ("facts", .integerKey), ("symbols", .integerKey)] + termDatabases

    private static func makeIfMissing(in directory: String, _ options: LMDB.Environment.Options) throws {
        try LMDB.Environment.makeIfMissing(in: directory, options: options) { environment throws(LMDBError) in
            let opened = try environment.openDatabases(databases)
            var transaction = try environment.beginWrite()
            try transaction.put(layout, at: layoutKey, in: opened[0])
            try transaction.put(UInt64(FactCodec.version), at: codecKey, in: opened[0])
            try transaction.commit()
        }
    }

    func clearStaleReaders() throws {
        try environment.clearStaleReaders()
    }

    func reading<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        do {
            return try environment.read(body)
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading derived/ failed")
        }
    }

    var mapSizeBytes: Int { environment.options.mapSizeBytes }

    /// Returns the number of events stored.
    func size() throws -> UInt64 {
        try reading { try size($0) }
    }

    func size<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> UInt64 {
        try transaction.number(Self.sizeKey, in: meta) ?? 0
    }

    /// Returns the events with a term at the selected positions, ordered by position.
    func events(under term: IndexTerm, at isWanted: (UInt64) -> Bool) throws -> [DecodedEvent] {
        try reading { transaction in
            var positions: [UInt64] = []
            try terms.forEachEntry(of: [term.hash], transaction) { entry in
                if isWanted(entry.position) { positions.append(entry.position) }
            }
            guard !positions.isEmpty else { return [] }
            let symbols = SymbolNumbers(try numbering(transaction).symbols)
            return try positions.sorted().map { position in
                try WorkLimit.check()
                guard let stored = try transaction.get(position, in: facts) else {
                    throw StorageError.derivedDamaged("the facts at position \(position)")
                }
                return try DecodedEvent(stored, symbols: symbols, position: position)
            }
        }
    }

    /// Returns the facts of an event; nil when they are not stored.
    func event(at position: UInt64) throws -> DecodedEvent? {
        try reading { transaction in
            guard let stored = try transaction.get(position, in: facts) else { return nil }
            let symbols = SymbolNumbers(try numbering(transaction).symbols)
            return try DecodedEvent(stored, symbols: symbols, position: position)
        }
    }

    /// The number of events that one read transaction of a scan reads. A longer transaction would keep freed pages from
    /// being used again.
    private static let eventsPerRead: UInt64 = 16_384

    /// Calls `body` with the stored form of each event with facts in a range of stored positions, ascending.
    func forEachEvent(in range: Range<UInt64>, _ body: (UInt64, RawSpan) throws -> Void) throws {
        var position = range.lowerBound
        while position < range.upperBound {
            let end = min(position + Self.eventsPerRead, range.upperBound)
            try reading { transaction in
                var cursor = try transaction.cursor(in: facts)
                var entry = try cursor.seek(position)
                while let found = entry, found.integerKey < end {
                    if found.value.byteCount > StoredEvent.timeByteCount { try body(found.integerKey, found.value) }
                    entry = try cursor.next()
                }
            }
            position = end
        }
    }

    /// Calls `body` with the stored form of the events at stored positions.
    /// - Parameter positions: ascending, so that the cursor mostly stays on its page.
    func forEachEvent(at positions: ArraySlice<UInt64>, _ body: (UInt64, RawSpan) throws -> Void) throws {
        try reading { transaction in
            var cursor = try transaction.cursor(in: facts)
            for position in positions {
                guard let found = try cursor.seek(position), found.integerKey == position,
                    found.value.byteCount >= StoredEvent.timeByteCount
                else { throw StorageError.derivedDamaged("the facts at position \(position)") }
                try body(position, found.value)
            }
        }
    }

    /// Returns the number of events and the numbers of the symbols that are stored.
    func contents() throws -> (size: UInt64, numbering: SymbolNumbering) {
        try reading { (try size($0), try numbering($0)) }
    }

    /// Stores events in one synced transaction. Storing an event twice has no effect.
    ///
    /// - Precondition: the positions ascend, and the first is at most `size()`.
    func add(_ events: [IndexedEvent]) throws {
        guard let last = events.last else { return }
        try environment.write { transaction in
            let stored = try size(transaction)
            let new = events.drop { $0.position < stored }
            var numbering = try numbering(transaction)
            let known = numbering.symbols.count
            for event in new {
                let stored = try StoredEvent.bytes(of: event, &numbering)
                try transaction.put(stored.span.bytes, at: event.position, in: facts, .append)
            }
            for (number, symbol) in numbering.symbols.enumerated().dropFirst(known) {
                try transaction.put(Array(symbol.text.utf8).span.bytes, at: UInt64(number), in: symbols, .append)
            }
            try terms.addAndCompact(Self.termEntries(of: new), &transaction)
            try transaction.put(max(stored, last.position + 1), at: Self.sizeKey, in: meta)
        }
    }

    /// Returns the numbers of the symbols that are stored.
    func numbering<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> SymbolNumbering {
        let stored = try transaction.statistics(of: symbols).entries
        let known = numbering.withLock { $0.symbols.count }
        guard known < stored else { return numbering.withLock { $0 } }
        var new: [Symbol] = []
        for number in known..<stored {
            guard let text = try transaction.get(UInt64(number), in: symbols),
                let text = String(validating: text.array(in: 0..<text.byteCount), as: UTF8.self)
            else { throw StorageError.derivedDamaged("the symbol \(number)") }
            new.append(Symbol(text))
        }
        return numbering.withLock { [new] numbering in
            // Another thread may have added some of them.
            for symbol in new.dropFirst(numbering.symbols.count - known) { numbering.append(symbol) }
            return numbering
        }
    }

    private static func termEntries(of events: ArraySlice<IndexedEvent>) -> [IndexEntry] {
        events.flatMap { event in event.facts.terms.map { IndexEntry(key: $0.hash, position: event.position) } }
    }
}

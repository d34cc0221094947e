import EventLog
import Glibc
import LMDB
import LedgerModel
import Primitives

/// `derived/`: facts by position, an index over them, and the identities of events. Everything in it is made from
/// the log and can be made again.
final class FactsStore: Sendable {
    private let environment: LMDB.Environment
    /// position -> recordedAt, facts
    private let facts: Database
    /// term -> the positions of its events
    private let terms: SortedRuns
    /// identity -> the positions it was met at, of which the first counts
    private let identities: SortedRuns
    private let meta: Database

    private static let appliedKey = Array("applied".utf8)
    private static let layoutKey = Array("layout".utf8)
    /// Of all that is in the folder; another number is thrown away and made again.
    private static let layout: UInt64 = 3

    static func exists(in directory: String) -> Bool {
        access("\(directory)/\(LMDB.Environment.dataFileName)", F_OK) == 0
    }

    /// - Throws: `version_unknown` when another version has made it; `log_corrupt` when it is damaged.
    convenience init(directory: String, mapSizeBytes: Int, readOnly: Bool) throws {
        do {
            try self.init(opening: directory, mapSizeBytes: mapSizeBytes, readOnly: readOnly)
        } catch let error as LMDBError {
            var failure = EventLogError(opening: directory, error)
            if failure.code == .logCorrupt { failure.hint = EventLogError.remakingHint }
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
        let found = try environment.read { [meta] in try Self.word(Self.layoutKey, in: meta, $0) }
        guard found == Self.layout else {
            throw EventLogError(
                .versionUnknown, "derived/ is of another version", expected: "\(Self.layout)",
                found: found.map { "\($0)" } ?? "none", hint: EventLogError.remakingHint)
        }
        facts = try environment.openDatabase("facts", flags: .integerKey)
        terms = SortedRuns(try environment.openDatabases(Self.termDatabases))
        identities = SortedRuns(try environment.openDatabases(Self.identityDatabases))
    }

    private static func word<Access>(
        _ key: [UInt8], in meta: Database, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> UInt64? {
        guard let value = try transaction.get(key.span.bytes, in: meta) else { return nil }
        guard value.byteCount == 8 else { throw EventLogError.derivedDamaged("a number") }
        return value.word(at: 0)
    }

    private static let termDatabases = SortedRuns.databases("terms")
    private static let identityDatabases = SortedRuns.databases("identities")

    private static func makeIfMissing(in directory: String, _ options: LMDB.Environment.Options) throws {
        try LMDB.Environment.makeIfMissing(in: directory, options: options) { environment throws(LMDBError) in
            let opened = try environment.openDatabases(
                [("meta", []), ("facts", .integerKey)] + termDatabases + identityDatabases)
            var transaction = try environment.beginWrite()
            let layout = withUnsafeBytes(of: Self.layout) { Array($0) }
            try transaction.put(layout.span.bytes, at: layoutKey.span.bytes, in: opened[0])
            try transaction.commit()
        }
    }

    /// Removes what another version has made.
    static func remove(_ directory: String) {
        for name in ["data.mdb", "lock.mdb"] { unlink("\(directory)/\(name)") }
    }

    func clearStaleReaders() throws {
        try environment.clearStaleReaders()
    }

    private func reading<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        do {
            return try environment.read(body)
        } catch let error as LMDBError {
            throw EventLogError(error, while: "derived/ was not read")
        }
    }

    /// How many events are applied.
    func appliedSize() throws -> UInt64 {
        try reading { try appliedSize($0) }
    }

    private func appliedSize<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> UInt64 {
        try Self.word(Self.appliedKey, in: meta, transaction) ?? 0
    }

    /// The first positions of those identities that have one.
    func positions(of wanted: [Identity]) throws -> [Identity: UInt64] {
        let keys = Set(wanted.map(\.value)).sorted()
        var found: [Identity: UInt64] = [:]
        try reading { transaction in
            try identities.forEachEntry(of: keys, transaction) { entry in
                found[Identity(entry.key), default: .max] = min(
                    found[Identity(entry.key), default: .max], entry.position)
            }
        }
        return found
    }

    /// The events under a term at the positions wanted, in their order.
    func events(under term: IndexTerm, at isWanted: (UInt64) -> Bool) throws -> [StoredFacts] {
        try reading { transaction in
            var positions: [UInt64] = []
            try terms.forEachEntry(of: [term.hash], transaction) { entry in
                if isWanted(entry.position) { positions.append(entry.position) }
            }
            var events: [StoredFacts] = []
            for position in positions.sorted() {
                guard let stored = try transaction.get(position, in: facts),
                    let facts = StoredFacts(stored, position: position)
                else { throw EventLogError.derivedDamaged("the facts of position \(position)") }
                events.append(facts)
            }
            return events
        }
    }

    /// Nil where no event is applied.
    func event(at position: UInt64) throws -> StoredFacts? {
        try reading { transaction in
            guard let stored = try transaction.get(position, in: facts) else { return nil }
            guard let facts = StoredFacts(stored, position: position) else {
                throw EventLogError.derivedDamaged("the facts of position \(position)")
            }
            return facts
        }
    }

    /// Applies events in one synced transaction. Applying some twice changes nothing.
    ///
    /// - Precondition: positions ascend, from at most `appliedSize()` on.
    func apply(_ events: [DerivedEvent]) throws {
        guard let last = events.last else { return }
        try environment.write { transaction in
            let applied = try appliedSize(transaction)
            let new = events.drop { $0.position < applied }
            for event in new {
                let value = Self.bigEndian(UInt64(bitPattern: event.recordedAt.milliseconds)) + event.facts
                try transaction.put(value.span.bytes, at: event.position, in: facts, .append)
            }
            try Self.add(Self.identityEntries(of: new), to: identities, &transaction)
            try Self.add(Self.termEntries(of: new), to: terms, &transaction)
            let size = withUnsafeBytes(of: max(applied, last.position + 1)) { Array($0) }
            try transaction.put(size.span.bytes, at: Self.appliedKey.span.bytes, in: meta)
        }
    }

    /// Every entry is merged again for each size of runs above a batch's; that many times what is added keeps up with
    /// billions of entries. At least a segment, so that small batches bring a large merge to its end too.
    private static let mergedForEachAdded = 8

    private static func add(
        _ entries: [IndexEntry], to index: SortedRuns, _ transaction: inout WriteTransaction
    ) throws {
        try index.add(entries.sorted(), &transaction)
        try index.merge(
            atLeast: max(entries.count * mergedForEachAdded, index.geometry.entriesASegment), &transaction)
    }

    private static func identityEntries(of events: ArraySlice<DerivedEvent>) -> [IndexEntry] {
        events.flatMap { event in
            [event.identity, event.repeatIdentity].compactMap { identity in
                identity.map { IndexEntry(key: $0.value, position: event.position) }
            }
        }
    }

    private static func termEntries(of events: ArraySlice<DerivedEvent>) -> [IndexEntry] {
        events.flatMap { event in event.indexTerms.map { IndexEntry(key: $0.hash, position: event.position) } }
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// The facts of one event as the store and the tail hand them out.
struct StoredFacts: Sendable {
    let position: UInt64
    let recordedAt: Instant
    let facts: [UInt8]

    init(_ event: DerivedEvent) {
        position = event.position
        recordedAt = event.recordedAt
        facts = event.facts
    }

    /// Nil when the bytes are damaged.
    init?(_ stored: RawSpan, position: UInt64) {
        guard stored.byteCount >= 8 else { return nil }
        self.position = position
        recordedAt = Instant(milliseconds: Int64(bitPattern: stored.word(at: 0).byteSwapped))
        facts = stored.extracting(8..<stored.byteCount).withUnsafeBytes { Array($0) }
    }
}

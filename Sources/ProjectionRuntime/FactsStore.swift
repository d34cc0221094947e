import EventLog
import LMDB
import LedgerModel
import Primitives

/// `derived/`: facts by position, an index over them, and the identities of events. Everything in it is made from
/// the log and can be made again.
final class FactsStore: Sendable {
    private let environment: LMDB.Environment
    /// position -> recordedAt, facts
    private let facts: Database
    /// term -> ordinal
    private let terms: Database
    /// ordinal, position (big-endian, so that they sort) -> nothing
    private let postings: Database
    /// identity -> the first position
    private let identities: Database
    private let meta: Database

    private static let appliedKey = Array("applied".utf8)

    init(directory: String, mapSizeBytes: Int, readOnly: Bool) throws {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = mapSizeBytes
        options.readOnly = readOnly
        if !readOnly {
            try LMDB.Environment.makeIfMissing(in: directory, options: options) { environment throws(LMDBError) in
                _ = try environment.openDatabases(Self.databases)
            }
        }
        environment = try LMDB.Environment(directory: directory, options: options)
        let opened = try environment.openDatabases(Self.databases)
        (facts, terms, postings, identities, meta) = (opened[0], opened[1], opened[2], opened[3], opened[4])
    }

    private static let databases: [(name: String, flags: Database.Flags)] = [
        ("facts", .integerKey), ("terms", []), ("postings", []), ("identities", []), ("meta", []),
    ]

    func clearStaleReaders() throws {
        try environment.clearStaleReaders()
    }

    /// How many events are applied.
    func appliedSize() throws -> UInt64 {
        try environment.read { try appliedSize($0) }
    }

    private func appliedSize<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> UInt64 {
        guard let value = try transaction.get(Self.appliedKey.span.bytes, in: meta) else { return 0 }
        return value.word(at: 0)
    }

    /// The first position of an identity.
    func position(of identity: Identity) throws -> UInt64? {
        let key = identity.bytes
        return try environment.read { transaction in
            guard let value = try transaction.get(key.span.bytes, in: identities) else { return nil }
            return value.word(at: 0)
        }
    }

    /// The events under a term at the positions wanted, in their order.
    func events(under term: IndexTerm, at isWanted: (UInt64) -> Bool) throws -> [StoredFacts] {
        try environment.read { transaction in
            guard let ordinal = try transaction.get(term.bytes.span.bytes, in: terms) else { return [] }
            let prefix = Self.bigEndian(ordinal.word(at: 0))
            var events: [StoredFacts] = []
            var cursor = try transaction.cursor(in: postings)
            var positions: [UInt64] = []
            if let entry = try cursor.seek(prefix.span.bytes), let position = Self.position(entry.key, under: prefix) {
                positions.append(position)
                while let entry = try cursor.next(), let position = Self.position(entry.key, under: prefix) {
                    positions.append(position)
                }
            }
            for position in positions where isWanted(position) {
                guard let stored = try transaction.get(position, in: facts) else { continue }
                events.append(StoredFacts(stored, position: position))
            }
            return events
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
            try putIdentities(of: new, &transaction)
            try putPostings(of: new, &transaction)
            let size = withUnsafeBytes(of: max(applied, last.position + 1)) { Array($0) }
            try transaction.put(size.span.bytes, at: Self.appliedKey.span.bytes, in: meta)
        }
    }

    /// In the order of their keys: neighbours share pages, which halves the time of random keys.
    private func putIdentities(
        of events: ArraySlice<DerivedEvent>, _ transaction: inout WriteTransaction
    ) throws {
        let entries = events.flatMap { event in
            [event.identity, event.repeatIdentity].compactMap { identity in
                identity.map { (key: $0.bytes, position: event.position) }
            }
        }
        for entry in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            // Of a re-signed retry the first position of its UUID stays.
            if try transaction.get(entry.key.span.bytes, in: identities) != nil { continue }
            let value = withUnsafeBytes(of: entry.position) { Array($0) }
            try transaction.put(value.span.bytes, at: entry.key.span.bytes, in: identities)
        }
    }

    private func putPostings(of events: ArraySlice<DerivedEvent>, _ transaction: inout WriteTransaction) throws {
        var positions: [IndexTerm: [UInt64]] = [:]
        for event in events {
            for term in event.indexTerms { positions[term, default: []].append(event.position) }
        }
        var next = UInt64(try transaction.statistics(of: terms).entries)
        for term in positions.keys.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            let ordinal: UInt64
            if let known = try transaction.get(term.bytes.span.bytes, in: terms) {
                ordinal = known.word(at: 0)
            } else {
                ordinal = next
                next += 1
                let value = withUnsafeBytes(of: ordinal) { Array($0) }
                try transaction.put(value.span.bytes, at: term.bytes.span.bytes, in: terms)
            }
            for position in positions[term] ?? [] {
                let key = Self.bigEndian(ordinal) + Self.bigEndian(position)
                try transaction.put([UInt8]().span.bytes, at: key.span.bytes, in: postings)
            }
        }
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func position(_ key: RawSpan, under prefix: [UInt8]) -> UInt64? {
        guard key.byteCount == 16, UInt64(bigEndian: key.word(at: 0)) == prefix.span.bytes.word(at: 0).byteSwapped
        else { return nil }
        return UInt64(bigEndian: key.word(at: 8))
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

    init(_ stored: RawSpan, position: UInt64) {
        self.position = position
        recordedAt = Instant(milliseconds: Int64(bitPattern: stored.word(at: 0).byteSwapped))
        facts = stored.extracting(8..<stored.byteCount).withUnsafeBytes { Array($0) }
    }
}

extension RawSpan {
    /// A native 64-bit integer; the bounds are checked.
    fileprivate func word(at offset: Int) -> UInt64 {
        unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}

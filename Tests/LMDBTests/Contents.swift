import LMDB
import LMDBFileFormat

/// The contents of an environment as plain values: the entries of each database by its name.
typealias Contents = [String: [[UInt8]: [UInt8]]]

extension RawSpan {
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension [UInt8] {
    /// A raw span over the array, so that arrays and literals can be passed as bytes.
    var bytes: RawSpan {
        @_lifetime(borrow self)
        get { span.bytes }
    }

    init(integer: UInt64) { self = Swift.withUnsafeBytes(of: integer) { Array($0) } }

    /// The bytes as an integer key.
    var integer: UInt64 { bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } }
}

/// The keys in the order of LMDB.
func sorted(_ entries: [[UInt8]: [UInt8]], _ flags: Database.Flags) -> [[UInt8]] {
    flags.contains(.integerKey)
        ? entries.keys.sorted { $0.integer < $1.integer }
        : entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
}

/// The kind of a test database: integer keys if its name starts with `i`.
func flags(ofDatabase name: String) -> Database.Flags { name.hasPrefix("i") ? .integerKey : [] }

extension LMDBTransaction {
    /// Returns all entries of `databases` as a cursor finds them; nil if they are out of order or not found by their
    /// keys.
    func contents(_ databases: [String: Database]) throws -> Contents? {
        var contents: Contents = [:]
        for (name, database) in databases {
            var entries: [[UInt8]: [UInt8]] = [:]
            var keys: [[UInt8]] = []
            var cursor = try cursor(in: database)
            while let entry = try cursor.next() {
                entries[entry.key.array] = entry.value.array
                keys.append(entry.key.array)
                let value = try get(entry.key, in: database)?.array
                if value != entry.value.array { return nil }
            }
            if keys != sorted(entries, flags(ofDatabase: name)) { return nil }
            contents[name] = entries
        }
        return contents
    }
}

extension Environment {
    func openDatabases(_ names: [String]) throws -> [String: Database] {
        try Dictionary(uniqueKeysWithValues: names.map { ($0, try openDatabase($0, flags: flags(ofDatabase: $0))) })
    }
}

extension PageWalk {
    /// Walks a file and collects the entries that it visits.
    static func contents(of file: [UInt8]) -> (walk: PageWalk, contents: Contents) {
        var contents: Contents = [:]
        let walk = PageWalk.run(
            over: file.bytes,
            flags: { name in
                contents[name] = [:]
                return LMDBTests.flags(ofDatabase: name).rawValue
            },
            visit: { entry, database, _ in contents[database]?[entry.key.array] = entry.value.array })
        return (walk, contents)
    }
}

import LMDB
import LedgerTesting

/// Random changes to an environment, and a model of plain values with its expected contents.
struct RandomWorkload {
    let names: [String]
    var random: SeededRandom
    /// The contents as of the last commit.
    private(set) var model: Contents
    /// The longest value in bytes; those above about half a page are stored on overflow pages.
    private let longestValue: Int
    /// The maximum number of changes per transaction.
    private let mostChanges: Int
    /// The percentage of deletions among the changes.
    private let deletions: Int

    /// Derives the parameters that are not given from the seed: small and large transactions, and trees that grow,
    /// shrink or stay.
    init(seed: UInt64, names: [String], mostChanges: Int? = nil, deletions: Int? = nil) {
        self.names = names
        random = SeededRandom(seed: seed)
        longestValue = [300, 3_000, 9_000, 60_000].randomElement(using: &random) ?? 0
        self.mostChanges = mostChanges ?? [3, 40, 400].randomElement(using: &random) ?? 0
        self.deletions = deletions ?? [10, 35, 60].randomElement(using: &random) ?? 0
        model = Dictionary(uniqueKeysWithValues: names.map { ($0, [:]) })
    }

    /// Runs one write transaction. Most commit; some throw and are aborted.
    mutating func step(_ environment: Environment) throws {
        struct Abandoned: Error {}
        let databases = try environment.openDatabases(names)
        var changed = model
        let commits = random.chance(85)
        do {
            try environment.write { transaction in
                for _ in 0..<Int.random(in: 1...mostChanges, using: &random) {
                    let name = names[Int.random(in: 0..<names.count, using: &random)]
                    guard let database = databases[name] else { throw Unexpected() }
                    try change(&transaction, database, &changed[name, default: [:]])
                }
                if !commits { throw Abandoned() }
            }
            model = changed
        } catch is Abandoned {}
    }

    private mutating func change(
        _ transaction: inout WriteTransaction, _ database: Database, _ entries: inout [[UInt8]: [UInt8]]
    ) throws {
        let key = random.chance(50) && !entries.isEmpty ? existingKey(entries) : newKey(database)
        let value = newValue()
        switch Int.random(in: 0..<100, using: &random) {
        case ..<deletions:
            let wasThere = try delete(key, &transaction, database)
            guard (entries.removeValue(forKey: key) != nil) == wasThere else { throw Unexpected() }
        case ..<75:
            try put(value, at: key, &transaction, database, [])
            entries[key] = value
        case ..<85:
            guard database.flags.contains(.integerKey) else { return }
            let appended = Array(integer: (entries.keys.map(\.integer).max() ?? 0) + 1)
            try put(value, at: appended, &transaction, database, .append)
            entries[appended] = value
        default:
            guard entries[key] != nil else { return }
            do {
                try put(value, at: key, &transaction, database, .append)
                throw Unexpected()
            } catch let error as LMDBError {
                guard error.code == .MDB_KEYEXIST else { throw error }
            }
        }
    }

    struct Unexpected: Error {}

    private func put(
        _ value: [UInt8], at key: [UInt8], _ transaction: inout WriteTransaction, _ database: Database,
        _ flags: WriteTransaction.PutFlags
    ) throws {
        if database.flags.contains(.integerKey) {
            try transaction.put(value.bytes, at: key.integer, in: database, flags)
        } else {
            try transaction.put(value.bytes, at: key.bytes, in: database, flags)
        }
    }

    private func delete(
        _ key: [UInt8], _ transaction: inout WriteTransaction, _ database: Database
    ) throws -> Bool {
        database.flags.contains(.integerKey)
            ? try transaction.delete(key.integer, in: database)
            : try transaction.delete(key.bytes, in: database)
    }

    private mutating func existingKey(_ entries: [[UInt8]: [UInt8]]) -> [UInt8] {
        // Sorted, because the order of a dictionary differs between runs.
        let keys = entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
        return keys[Int.random(in: 0..<keys.count, using: &random)]
    }

    private mutating func newKey(_ database: Database) -> [UInt8] {
        if database.flags.contains(.integerKey) {
            return Array(integer: UInt64.random(in: 0...(random.chance(80) ? 500 : .max), using: &random))
        }
        return random.bytes(Int.random(in: 1...(random.chance(70) ? 12 : 511), using: &random))
    }

    private mutating func newValue() -> [UInt8] {
        random.bytes(Int.random(in: 0...(random.chance(85) ? 200 : longestValue), using: &random))
    }
}

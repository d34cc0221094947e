import AppStoreModel
import EventLog
import FactStore
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import Synchronization
import Testing

@Suite struct `What is derived` {
    /// The reference model: the events of a log as numbers of observations, and the answers that follow by definition.
    private struct Model {
        var events: [[Int]] = []

        mutating func append(_ numbers: [Int]) -> UInt64 {
            if let known = events.firstIndex(of: numbers) { return UInt64(known) }
            events.append(numbers)
            return UInt64(events.count - 1)
        }

        func observations(below size: Position) -> [KeyedObservation] {
            events.prefix(Int(clamping: size)).enumerated().flatMap { position, numbers in
                numbers.map { .sample($0, position: Position(position), recordedAt: FactWorld.now) }
            }
        }

        /// The keys joined with one, found by repeated passes over all observations until nothing changes.
        func keys(joinedWith key: SubscriptionKey, below size: Position) -> Set<SubscriptionKey> {
            let known = observations(below: size)
            var (keys, accounts): (Set<SubscriptionKey>, Set<[String]>) = ([key], [])
            while true {
                let before = keys.count + accounts.count
                for keyed in known {
                    guard case .subscription(let own) = keyed.key else { continue }
                    let (previous, account) = keyed.observation.fact.joined(with: own)
                    guard
                        keys.contains(own) || previous.map(keys.contains) ?? false
                            || account.map(accounts.contains) ?? false
                    else { continue }
                    keys.insert(own)
                    if let previous { keys.insert(previous) }
                    if let account { accounts.insert(account) }
                }
                if keys.count + accounts.count == before { return keys }
            }
        }

        /// The timeline of every key that has one.
        func timelines(below size: Position) -> [SubscriptionKey: Timeline] {
            var timelines: [SubscriptionKey: [Observation]] = [:]
            for keyed in observations(below: size) {
                if case .subscription(let key) = keyed.key { timelines[key, default: []].append(keyed.observation) }
            }
            return timelines.mapValues { Timeline($0) }
        }

        var keys: Set<SubscriptionKey> {
            Set(
                observations(below: .max).compactMap { keyed in
                    if case .subscription(let key) = keyed.key { key } else { nil }
                })
        }
    }

    private func expect(
        _ derived: FactIndex, toSay model: Model, _ generator: inout SeededRandom,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let size = Position(model.events.count)
        #expect(derived.size == size, sourceLocation: location)
        let keys = model.keys.sorted()
        for key in keys.shuffled(using: &generator).prefix(8) {
            for known in [size, Position.random(in: 0...size, using: &generator)] {
                let found = try derived.timelines(around: key, knownAt: known)
                let all = model.timelines(below: known)
                let joined = model.keys(joinedWith: key, below: known).filter { all[$0] != nil }
                let comment: Comment = "seed \(TestEnvironment.seed), \(key) at \(known)"
                // The index may return more keys than are joined, but each with its complete timeline.
                #expect(joined.isSubset(of: found.keys), comment, sourceLocation: location)
                let isWhole = found.allSatisfy { all[$0.key] == $0.value }
                #expect(isWhole, comment, sourceLocation: location)
            }
            let id = key.originalTransactionId
            let same = keys.filter { $0.originalTransactionId == id }
            #expect(try derived.keys(ofOriginalTransactionId: id) == same, sourceLocation: location)
            let here = same.filter { $0.environment == key.environment && $0.bundleId == key.bundleId }
            let found = try derived.keys(
                ofOriginalTransactionId: id, environment: key.environment, bundleId: key.bundleId)
            #expect(found == here, sourceLocation: location)
        }
        #expect(try derived.keys(ofOriginalTransactionId: "unheard of").isEmpty, sourceLocation: location)
    }

    @Test func `is the same however much of it is applied, and whenever it was opened`() async throws {
        var generator = SeededRandom()
        let world = try FactWorld()
        var model = Model()
        for _ in 0..<120 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: try world.reopen()
            case 1:
                try world.facts.store()
                try world.reopen()
            case 2:
                world.close()
                try world.removeDerived()
                try world.open()
            case 3:
                world.close()
                try world.reading { try expect($1, toSay: model, &generator) }
                try world.open()
            case 4, 5, 6:
                try world.facts.store()
                #expect(world.facts.lag == 0)
            default:
                let events = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                    (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                        Int.random(in: 0..<400, using: &generator)
                    }
                }
                let expected = events.map { model.append($0) }
                let appended = try await world.append(events)
                #expect(appended.map(\.position) == expected, "seed \(TestEnvironment.seed)")
            }
            try expect(world.facts, toSay: model, &generator)
        }
        #expect(model.events.count > 200)
    }

    @Test func `knows a thing again wherever it is remembered`() async throws {
        let world = try FactWorld()
        _ = try await world.append([[1], [2]])
        try world.facts.store()
        _ = try await world.append([[3]])
        for _ in 0..<3 {
            let appended = try await world.append([[1], [3], [2]])
            #expect(appended.map(\.position) == [0, 2, 1])
            #expect(appended.allSatisfy { !$0.isAppended })
            try world.reopen()
        }
        world.close()
        try world.removeDerived()
        try world.open()
        let appended = try await world.append([[1], [4], [2]])
        #expect(appended.map(\.position) == [0, 3, 1])
    }

    @Test func `from a log that is no more is refused`() async throws {
        let world = try FactWorld()
        _ = try await world.append([[1], [2]])
        try world.facts.store()
        world.close()
        try world.removeLog()
        let error = #expect(throws: StorageError.self) { try world.open() }
        #expect(error?.code == .logCorrupt)
        try world.removeDerived()
        try world.open()
        #expect(world.facts.size == 0)
    }

    @Test func `from a log that has other events is refused`() async throws {
        let world = try FactWorld()
        _ = try await world.append([[1], [2]])
        try world.facts.store()
        world.close()
        let other = try FactWorld()
        other.close()
        other.clock = FactWorld.now.advanced(byMilliseconds: 1)
        try other.open()
        _ = try await other.append([[1], [2], [3]])
        other.close()
        try world.takeLog(of: other)
        let error = #expect(throws: StorageError.self) { try world.open() }
        #expect(error?.code == .logCorrupt)
    }

    /// Events move from memory to the store while others read. A reader must always find every event below the head.
    @Test func `misses nothing while it is being applied`() async throws {
        // Samples 0, 4, 8 … are transactions; each event has one that no other event has.
        let numbers = Array(stride(from: 0, to: 8_000, by: 4))
        let keys = Set(
            numbers.compactMap { number -> SubscriptionKey? in
                if case .subscription(let key) = KeyedObservation.sample(number).key { key } else { nil }
            }
        ).sorted()
        let owner = numbers.map { number -> Int? in
            if case .subscription(let key) = KeyedObservation.sample(number).key {
                keys.firstIndex(of: key)
            } else {
                nil
            }
        }
        let world = try FactWorld()
        let (log, derived) = (world.log, world.facts)
        // Not the cancellation of the tasks, which would stop a query in progress.
        let end = Flag()
        await withTaskGroup(of: Int.self) { group in
            for applier in 0..<2 {
                group.addTask {
                    while !end.isSet.load(ordering: .acquiring) {
                        #expect(throws: Never.self) { try derived.store() }
                        await Task.yield()
                    }
                    return -applier
                }
            }
            for reader in 0..<3 {
                group.addTask {
                    var reads = 0
                    while !end.isSet.load(ordering: .acquiring) {
                        let which = (reader + reads) % keys.count
                        #expect(throws: Never.self) {
                            let size = try log.reader.size()
                            let found = try derived.timelines(around: keys[which], knownAt: size)[keys[which]]
                            let expected = owner.prefix(Int(size)).count { $0 == which }
                            let count = found?.observations.count ?? 0
                            if count != expected { Issue.record("\(count) of \(expected) below \(size)") }
                        }
                        reads += 1
                        await Task.yield()
                    }
                    return reads
                }
            }
            for start in stride(from: 0, to: numbers.count, by: 10) {
                let batch = numbers[start..<start + 10].map { [$0] }
                let appended = try? await world.append(batch)
                #expect(appended?.count == 10)
            }
            end.isSet.store(true, ordering: .releasing)
            var reads = 0
            for await count in group { reads += max(count, 0) }
            #expect(reads > 100)
        }
        #expect(derived.size == UInt64(numbers.count))
    }
}

extension Fact {
    /// The key from which it migrated, and the Apple account as (environment, bundle, id).
    fileprivate func joined(with key: SubscriptionKey) -> (SubscriptionKey?, [String]?) {
        let (previous, account): (AppleID?, AppleID?) =
            switch self {
            case .transaction(let fact): (fact.previousOriginalTransactionId, fact.appTransactionId)
            case .renewal(let fact): (nil, fact.appTransactionId)
            case .notification, .app: (nil, nil)
            }
        return (
            previous.map {
                SubscriptionKey(environment: key.environment, bundleId: key.bundleId, originalTransactionId: $0.text)
            },
            account.map { [key.environment.rawValue, key.bundleId, $0.text] }
        )
    }
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}

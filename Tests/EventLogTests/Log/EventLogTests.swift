import EventLog
import LedgerStorage
import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct `The event log` {
    /// The reference model of a log: an array of events, each indexed by its idempotency keys.
    private struct Model {
        var events: [(draft: EventDraft, recordedAt: Instant, repeats: Bool)] = []
        var idempotencyKeys: [IdempotencyKey: UInt64] = [:]

        mutating func append(_ draft: EventDraft, at now: Instant) -> Outcome {
            let first = draft.notificationKey.flatMap { idempotencyKeys[$0] }
            if let known = idempotencyKeys[draft.idempotencyKey] {
                return .known(first ?? known)
            }
            let position = UInt64(events.count)
            idempotencyKeys[draft.idempotencyKey] = position
            if let notificationKey = draft.notificationKey, first == nil { idempotencyKeys[notificationKey] = position }
            let recordedAt = max(now, events.last?.recordedAt ?? now)
            events.append((draft, recordedAt, first != nil))
            return first.map { .repeated($0) } ?? .new(position)
        }

        func record(at position: Int) -> Record {
            let (draft, recordedAt, repeats) = events[position]
            let evidence = draft.evidence.bytes
            return Record(
                position: UInt64(position), kind: draft.kind, source: draft.source, environment: draft.environment,
                artifact: draft.artifact, trust: draft.trust, flags: repeats ? .repeats : [], recordedAt: recordedAt,
                idempotencyKey: draft.idempotencyKey, evidenceDigest: evidence.isEmpty ? .zero : .sha256(of: evidence),
                evidenceLength: UInt32(evidence.count), verifiedAt: draft.verifiedAt,
                leafCertificate: draft.leafCertificate, rootCertificate: draft.rootCertificate, body: draft.body)
        }
    }

    @Test func `is the array of what was appended, closed and opened as often as one likes`() async throws {
        var generator = SeededRandom()
        let setup = try LogUnderTest()
        var model = Model()
        for _ in 0..<25 {
            try await setup.writing { log in
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    let batch = (0..<Int.random(in: 1...60, using: &generator)).map { _ in Self.draft(&generator) }
                    setup.clock.now = setup.clock.now.advanced(byMilliseconds: Int64(generator.pick([-50, 0, 1, 70])))
                    let expected = batch.map { model.append($0, at: setup.clock.now) }
                    try await log.append(batch, expecting: expected)
                    if generator.chance(30) { try log.storeKeys() }
                }
                try Self.expect(log.reader, toBe: model)
            }
            try setup.reading { try Self.expect($0, toBe: model) }
            if generator.chance(20) { try setup.removeDuplicateIndex() }
        }
        #expect(model.events.count > 1_000)
    }

    private static func draft(_ generator: inout SeededRandom) -> EventDraft {
        // A few thousand names, so that many repeat, and few enough UUIDs that some are shared.
        let key = "key \(Int.random(in: 0..<3_000, using: &generator))"
        let uuid = generator.chance(30) ? "uuid \(Int.random(in: 0..<800, using: &generator))" : nil
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return .sample(key, evidence: Evidence.none)
        case 1: return .sample(key, evidence: Evidence(bytes: generator.bytes(300)))
        case 2: return .sample(key, evidence: SampleJWS.random(&generator).evidence)
        case 3: return .sample(key, body: String(repeating: " ", count: 4_096 - 152))
        default: return .sample(key, uuid: uuid)
        }
    }

    private static func expect(_ log: LogReader, toBe model: Model) throws {
        let records = model.events.indices.map(model.record)
        let leaves = records.map { MerkleTree.leafHash(of: $0.bytes) }
        let head = TreeHead(size: UInt64(records.count), root: MerkleTree.root(of: leaves))
        #expect(try log.head() == head)
        var read: [(Record, [UInt8])] = []
        var position: UInt64 = 0
        while position < head.size {
            position = try log.forEach(from: position, below: .max, limit: 100) {
                read.append(($0, $1.verbatim ?? []))
            }
        }
        #expect(read.count == records.count)
        let other = read.indices.first { index in
            read[index].0 != records[index] || read[index].1 != model.events[index].draft.evidence.bytes
        }
        #expect(other == nil, "seed \(SeededRandom.seed)")
        for position in stride(from: 0, to: records.count, by: 37) {
            #expect(try log.record(at: UInt64(position)) == records[position])
            #expect(try log.evidence(at: UInt64(position)) == model.events[position].draft.evidence.bytes)
        }
        for beyond in [head.size, head.size + 1, .max] {
            #expect(try log.record(at: beyond) == nil)
            #expect(try log.evidence(at: beyond) == nil)
            #expect(try log.forEach(from: beyond, below: .max) { _, _ in Issue.record("an event") } == beyond)
        }
    }

    @Test func `keeps its origin`() async throws {
        let setup = try LogUnderTest()
        let drawn = try await setup.writing { $0.reader.origin }
        #expect(drawn.wholeMatch(of: /subledger\.invalid\/[0-9a-f]{8}/) != nil)
        #expect(try await setup.writing { $0.reader.origin } == drawn)
        #expect(try setup.reading { $0.origin } == drawn)
        let named = try LogReader(setup.configuration().log, origin: "log.example.com/1")
        #expect(named.origin == "log.example.com/1")
    }

    @Test func `of size 0 has the root of nothing`() async throws {
        let setup = try LogUnderTest()
        let empty = Digest(hex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let heads = [try await setup.writing { try $0.head() }, try setup.reading { try $0.head() }]
        #expect(heads == [.empty, .empty] && TreeHead.empty.root == empty && TreeHead.empty.size == 0)
    }

    @Test func `of another layout is refused`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { try await $0.append([.sample("a")]) }
        let two: [UInt8] = [2, 0, 0, 0]
        try setup.put(two + Digest.sha256(of: two).bytes, at: "layout", in: "meta")
        let error = #expect(throws: StorageError.self) { try setup.reading { _ in } }
        #expect(error?.code == .versionUnknown)
    }
}

import Dispatch
import EventLog
import LMDB
import LedgerStorage
import Primitives
import Testing
import TransparencyLog

@Suite struct `The writer` {
    /// Offers requests while the writer is busy with an earlier one, so that they wait together.
    private func appendTogether(
        _ requests: [[EventDraft]], in setup: LogUnderTest, _ configuration: LogWriter.Configuration? = nil
    ) async throws -> [[Outcome]] {
        try await setup.writing(with: configuration) { log in
            setup.clock.hold()
            let first = log.offer([.sample("first")])
            setup.clock.waitUntilAsked()
            let waiting = requests.map { log.offer($0) }
            setup.clock.release()
            _ = try await first.value
            var answers: [[Outcome]] = []
            for task in waiting { answers.append(try await task.value) }
            return answers
        }
    }

    @Test func `takes what waits as one group, in the order it came`() async throws {
        let setup = try LogUnderTest()
        let answers = try await appendTogether(
            [[.sample("a")], [.sample("b"), .sample("c")], [.sample("d")]], in: setup)
        #expect(setup.observer.groups.map(\.count) == [1, 4])
        #expect(answers == [[.new(1)], [.new(2), .new(3)], [.new(4)]])
        #expect(
            setup.observer.events.map { $0.attachment as? String } == ["first", "a", "b", "c", "d"])
    }

    @Test func `ends a group before the request that would make it too many events`() async throws {
        let setup = try LogUnderTest()
        func request(_ name: String, _ count: Int) -> [EventDraft] { (0..<count).map { .sample("\(name)\($0)") } }
        _ = try await appendTogether(
            [request("a", 2), request("b", 2), request("c", 1), request("d", 5), request("e", 1)], in: setup,
            setup.configuration(groupCommitEvents: 3))
        // A request is never split, even if it is larger than a group.
        #expect(setup.observer.groups.map(\.count) == [1, 2, 3, 5, 1])
    }

    @Test func `ends a group before the request that would make it more than 16 MiB`() async throws {
        let setup = try LogUnderTest()
        let requests = (0..<3).map { number in
            [
                EventDraft.sample(
                    "\(number)", evidence: Evidence(bytes: [UInt8](repeating: UInt8(number), count: 6 << 20)))
            ]
        }
        _ = try await appendTogether(requests, in: setup)
        #expect(setup.observer.groups.map(\.count) == [1, 2, 1])
    }

    @Test func `writes each group in one transaction, tree nodes and all`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { _ in }
        let before = try setup.tampering { try $0.information().lastTransactionID }
        try await setup.writing { log in
            for group in 0..<5 {
                try await log.append((0..<200).map { .sample("\(group) \($0)") })
                #expect(try log.size() == UInt64(group + 1) * 200)
            }
        }
        let leaves = try setup.reading { try $0.leafHashes() }
        try setup.tampering { environment in
            #expect(try environment.information().lastTransactionID == before + 5)
            let tree = try environment.openDatabase("tree1", flags: .integerKey)
            try environment.read { transaction in
                #expect(try transaction.statistics(of: tree).entries == 3)
                for index in 0..<3 {
                    guard let node = try transaction.get(UInt64(index), in: tree) else { continue }
                    #expect(
                        node.withUnsafeBytes { Array($0) }
                            == MerkleTree.root(of: leaves[index * 256..<(index + 1) * 256]).bytes)
                }
            }
        }
    }

    @Test func `takes all of a request or nothing when the map is full, and goes on`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing(with: setup.configuration(mapSizeBytes: 1 << 20)) { log in
            try await log.append([.sample("a")])
            let large = (0..<8).map { number in
                EventDraft.sample(
                    "large \(number)",
                    evidence: Evidence(bytes: [UInt8](repeating: UInt8(number), count: 200_000)))
            }
            let error = await #expect(throws: StorageError.self) { try await log.append(large) }
            #expect(error?.code == .mapFull && error?.isRetryable == true)
            #expect(try log.size() == 1)
            // A header is stored with the first stored record that needs it.
            let answers = try await log.append([.sample("b"), .sample("c"), .sample("d"), large[0]])
            #expect(answers == [.new(1), .new(2), .new(3), .new(4)])
        }
        try setup.reading { log in
            let size = try log.size()
            #expect(size == 5)
            for position in 0..<size { #expect(try log.evidence(at: position)?.isEmpty == false) }
            let report = try LogAudit(log).run()
            #expect(report.isSound && report.events == 5)
        }
    }
}

@Suite struct `The writer's queue` {
    @Test func `holds 8,192 events, then it is busy`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            setup.clock.hold()
            let first = log.offer([.sample("first")])
            setup.clock.waitUntilAsked()
            // The same event is repeated: only the number of waiting events counts.
            let event = log.prepare(.sample("again"))
            let most = log.offer([PreparedEvent](repeating: event, count: 8_191))
            let last = log.offer([event])
            let error = await #expect(throws: StorageError.self) { try await log.append([event]) }
            #expect(error?.code == .busy && error?.isRetryable == true)
            setup.clock.release()
            _ = try await first.value
            let answers = try await most.value
            #expect(answers.count == 8_191)
            try await last.expect([.known(1)])
            // The queue has room again.
            let more = try await log.append([PreparedEvent](repeating: event, count: 8_192))
            #expect(more.count == 8_192)
        }
        #expect(setup.observer.events.count == 2)
    }

    @Test func `holds 64 MiB, then it is busy`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            setup.clock.hold()
            let first = log.offer([.sample("first")])
            setup.clock.waitUntilAsked()
            let event = log.prepare(
                .sample("large", evidence: Evidence(bytes: [UInt8](repeating: 1, count: 16 << 20))))
            let three = (0..<3).map { _ in log.offer([event]) }
            let error = await #expect(throws: StorageError.self) { try await log.append([event]) }
            #expect(error?.code == .busy)
            let small = log.offer([.sample("small")])
            setup.clock.release()
            _ = try await first.value
            try await three[0].expect([.new(1)])
            try await three[2].expect([.known(1)])
            try await small.expect([.new(2)])
        }
    }

    /// The patience is an hour, so a wait that returns has not timed out.
    @Test func `waits for callers who come again until they are there, a group is full, or it closes`() async throws {
        let setup = try LogUnderTest()
        let event = try await setup.writing { $0.prepare(.sample("again")) }
        let queue = WriterQueue()
        var offered: [Task<[AppendResult], any Error>] = []
        func offer() {
            offered.append(
                Task.immediate {
                    try await withCheckedThrowingContinuation { answer in
                        #expect(queue.offer(AppendRequest(events: [event, event], answer: answer)))
                    }
                })
        }
        func wait(forRequests count: Int, eventLimit: Int = 100, byteLimit: Int = .max) -> Task<Void, Never> {
            Task {
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async {
                        queue.wait(
                            forRequests: count, eventLimit: eventLimit, byteLimit: byteLimit, patience: .seconds(3_600))
                        continuation.resume()
                    }
                }
            }
        }
        offer()
        let three = wait(forRequests: 3)
        for _ in 0..<2 { offer() }
        await three.value
        let full = wait(forRequests: 100, eventLimit: 8)
        offer()
        await full.value
        await wait(forRequests: 100, byteLimit: 8 * event.byteCount).value
        // The wait for further requests ends after the patience.
        queue.wait(forRequests: 100, eventLimit: 100, byteLimit: .max, patience: .milliseconds(1))
        let closed = wait(forRequests: 100)
        queue.close()
        await closed.value
        let group = queue.takeGroup(eventLimit: 100, byteLimit: .max) ?? []
        #expect(group.count == 4)
        for request in group { request.answer.resume(returning: []) }
        for task in offered { #expect(try await task.value.isEmpty) }
    }

    @Test func `is emptied before the log closes, and busy after`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            setup.clock.hold()
            let waiting = ["a", "b", "c"].map { log.offer([.sample($0)]) }
            setup.clock.waitUntilAsked()
            let closing = Task.detached { log.close() }
            setup.clock.release()
            await closing.value
            for (position, task) in waiting.enumerated() {
                try await task.expect([.new(UInt64(position))])
            }
            let error = await #expect(throws: StorageError.self) { try await log.append([.sample("d")]) }
            #expect(error?.code == .busy)
        }
        #expect(try setup.reading { try $0.head().size } == 3)
    }

    @Test func `takes nothing for nothing`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let answers = try await log.append([PreparedEvent]())
            #expect(answers.isEmpty)
            #expect(try log.head() == .empty)
        }
    }
}

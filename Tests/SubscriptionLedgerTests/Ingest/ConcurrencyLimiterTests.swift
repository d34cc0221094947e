import EventLog
import LedgerStorage
import SubscriptionLedger
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConcurrencyLimiterTests {
    /// Work that occupies its slot until it is finished.
    private final class Work: Sendable {
        private let begun = Mutex<[Int]>([])
        let beginnings: AsyncStream<Int>
        private let begin: AsyncStream<Int>.Continuation
        let ends: [AsyncStream<Void>]
        private let end: [AsyncStream<Void>.Continuation]

        init(_ count: Int) {
            (beginnings, begin) = AsyncStream.makeStream()
            let streams = (0..<count).map { _ in AsyncStream.makeStream(of: Void.self) }
            ends = streams.map(\.stream)
            end = streams.map(\.continuation)
        }

        var order: [Int] { begun.withLock { $0 } }

        func run(_ index: Int) async {
            begun.withLock { $0.append(index) }
            begin.yield(index)
            for await _ in ends[index] {}
        }

        func finish(_ index: Int) { end[index].finish() }
    }

    @Test func `so many run, so many wait, and one more is turned away`() async throws {
        let gate = ConcurrencyLimiter(runningLimit: 2, waitingLimit: 3)
        let work = Work(5)
        var beginnings = work.beginnings.makeAsyncIterator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<2 { group.addTask { try await gate.run { await work.run(index) } } }
            _ = await (beginnings.next(), beginnings.next())
            for index in 2..<5 {
                group.addTask { try await gate.run { await work.run(index) } }
                while gate.waiting < index - 1 { await Task.yield() }
            }
            #expect(work.order.count == 2)
            let error = await #expect(throws: StorageError.self) { try await gate.run {} }
            #expect(error?.code == .busy)

            // The longest-waiting call is next.
            work.finish(0)
            #expect(await beginnings.next() == 2)
            work.finish(1)
            #expect(await beginnings.next() == 3)
            #expect(gate.waiting == 1)
            for index in 2..<5 { work.finish(index) }
            try await group.waitForAll()
        }
        #expect(work.order.suffix(3) == [2, 3, 4])
        #expect(gate.waiting == 0)
        #expect(try await gate.run { 7 } == 7)
    }

    @Test func `a turn that fails is free again`() async throws {
        struct Failure: Error {}
        let gate = ConcurrencyLimiter(runningLimit: 1, waitingLimit: 0)
        await #expect(throws: Failure.self) { try await gate.run { throw Failure() } }
        #expect(try await gate.run { true })
    }
}

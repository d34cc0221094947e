import AppStoreSimulation
import EventLog
import HTTPTypes
import Primitives
import SubscriptionLedger
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ShutdownTests {
    @Test func `under load what was taken is answered, and what was answered is in the log`() async throws {
        let test = try TestLedger()
        let notifications = BulkNotifications(count: 2_000)
        let answered = Positions()
        try await LiveServer.run(test.server) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        try await server.connect { connection in
                            for index in stride(from: writer, to: notifications.count, by: 8) {
                                guard
                                    let position = try await Self.post(notifications[index].body ?? [], on: &connection)
                                else { return }
                                if answered.insert(position) == 100 { await server.stop() }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let positions = answered.all
        #expect(positions.count >= 100 && positions.count < notifications.count)
        // Every accepted notification was answered, and every answered one is in the log.
        #expect(try test.ledger.reader.log.size() == UInt64(positions.count))
        #expect(positions == Set(0..<UInt64(positions.count)))
    }

    /// The positions that the writers received as answers.
    private final class Positions: Sendable {
        private let positions = Mutex<Set<UInt64>>([])

        var all: Set<UInt64> { positions.withLock { $0 } }

        /// - Returns: the number of positions so far.
        func insert(_ position: UInt64) -> Int {
            positions.withLock { positions in
                positions.insert(position)
                return positions.count
            }
        }
    }

    /// - Returns: the position; nil if the server has closed the connection.
    private static func post(_ body: [UInt8], on connection: inout Connection) async throws -> UInt64? {
        let head =
            "POST /v1/app-store/notifications HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        do {
            try await connection.send(Array(head.utf8) + body)
        } catch {
            return nil
        }
        guard (try? await connection.read(through: #"{"position":"#)) ?? nil != nil,
            let digits = try await connection.read(through: ",")
        else { return nil }
        return UInt64(digits.dropLast())
    }

    @Test func `a follower's connection ends in order`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/v1/events?after=4", "Accept: text/event-stream\r\n")
                #expect(try await connection.read(through: "id: 5\n") != nil)
                await server.stop()
                // The last chunk of the answer (RFC 9112 §7.1), followed by the end of the connection.
                #expect(try await connection.readToEnd().hasSuffix("0\r\n\r\n"))
            }
        }
    }

    @Test func `an idle connection does not hold the server up`() async throws {
        let test = try TestLedger()
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/healthz")
                _ = try await connection.read(through: #"{"status":"ok"}"#)
                await server.stop()
                #expect(try await connection.readToEnd().isEmpty)
            }
        }
    }
}

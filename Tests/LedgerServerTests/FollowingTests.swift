import AppStoreSimulation
import EventLog
import HTTPTypes
import HummingbirdTesting
import LedgerAPI
import Primitives
import SubscriptionLedger
import Testing

@Suite(.timeLimit(.minutes(5))) struct FollowingTests {
    private static let accept = "Accept: text/event-stream\r\n"

    @Test func `a follower gets what is there and then what comes, under its position`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append(Array(notifications[..<2]))
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/v1/events", Self.accept)
                let head = try #require(try await connection.read(through: "\r\n\r\n"))
                #expect(head.hasPrefix("HTTP/1.1 200 "))
                #expect(head.lowercased().contains("content-type: text/event-stream"))
                for position in 0..<2 { try await Self.expectEvent(position, on: &connection, test) }
                for position in 2..<4 {
                    try await test.append([notifications[position]])
                    try await Self.expectEvent(position, on: &connection, test)
                }
            }
        }
    }

    private static func expectEvent(
        _ position: Int, on connection: inout Connection, _ test: TestLedger
    ) async throws {
        let event = try #require(try test.ledger.reader.event(at: UInt64(position), facts: false)).json.serialized()
        let read = try await connection.read(through: "id: \(position)\ndata: \(event)\n\n")
        #expect(read != nil)
    }

    @Test func `Last-Event-ID resumes, and counts before after`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/v1/events?after=0", Self.accept + "Last-Event-ID: 2\r\n")
                _ = try await connection.read(through: "\r\n\r\n")
                let first = try #require(try await connection.read(through: "\ndata: "))
                #expect(first.hasSuffix("id: 3\ndata: "))
            }
        }
    }

    @Test func `a follower of a type gets that type alone, under the same positions`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append(Array(notifications[..<1]))
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/v1/events?type=DID_RENEW", Self.accept)
                _ = try await connection.read(through: ":\n\n")
                for position in 1..<3 {
                    try await test.append([notifications[position]])
                    try await Self.expectEvent(position, on: &connection, test)
                }
            }
        }
    }

    @Test func `a comment moves Last-Event-ID past events that were left out`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append(Array(notifications[..<3]))
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/v1/events?type=OF_TOMORROW", Self.accept)
                _ = try await connection.read(through: "\r\n\r\n")
                #expect(try await connection.read(through: "id: 2\n:\n\n") != nil)
                try await test.append([notifications[3]])
                #expect(try await connection.read(through: "id: 3\n:\n\n") != nil)
            }
            try await server.connect { connection in
                try await connection.get("/v1/transitions?environment=Sandbox", Self.accept)
                _ = try await connection.read(through: "\r\n\r\n")
                let comment = try #require(try await connection.read(through: "\n:\n\n"))
                let line = comment.split(whereSeparator: \.isNewline).first { $0.hasPrefix("id: ") }
                let field = "Last-Event-ID: \(try #require(line).dropFirst(4))\r\n"
                try await server.connect { again in
                    try await again.get("/v1/transitions?environment=Sandbox", Self.accept + field)
                    #expect(try await again.read(through: "\r\n")?.hasPrefix("HTTP/1.1 200 ") == true)
                }
            }
        }
    }

    @Test func `a Last-Event-ID that is no position is 400`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            let headers: HTTPFields = [.accept: "text/event-stream", .lastEventIdField: "x"]
            try await client.get("/v1/events", headers).expectProblem("parameter_invalid", .badRequest)
        }
    }

    @Test func `who follows an empty log sees at once that it is connected`() async throws {
        let test = try TestLedger()
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/v1/transitions", Self.accept)
                _ = try await connection.read(through: "\r\n\r\n")
                #expect(try await connection.read(through: ":\n\n") != nil)
            }
        }
    }

    @Test func `a renewal reaches who follows the transitions`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append([notifications[0]])
        let cursors = try await test.calls { client in
            try await client.get("/v1/transitions").headers[HTTPField.Name.cursorField]
        }
        let cursor = try #require(cursors)
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/v1/transitions", Self.accept + "Last-Event-ID: \(cursor)\r\n")
                _ = try await connection.read(through: ":\n\n")
                try await test.append([notifications[5]])
                // A comment, whose id is not that of a row, may precede the row.
                _ = try #require(try await connection.read(through: "\ndata: "))
                let event = try #require(try await connection.read(through: "\n\n"))
                #expect(event.contains(#""change":["renewed"]"#) || event.contains(#""cause":"DID_RENEW""#), "\(event)")
            }
        }
    }

    @Test func `a hundred may follow, and one more when one has gone`() async throws {
        let test = try TestLedger()
        try await LiveServer.run(test.server) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (joined, join) = AsyncStream.makeStream(of: Void.self)
                let (gate, open) = AsyncStream.makeStream(of: Void.self)
                for _ in 0..<100 {
                    group.addTask {
                        try await server.connect { connection in
                            try await connection.get("/v1/events", Self.accept)
                            _ = try await connection.read(through: ":\n\n")
                            join.yield()
                            for await _ in gate {}
                        }
                    }
                }
                var count = 0
                for await _ in joined {
                    count += 1
                    if count == 100 { break }
                }
                try await server.connect { connection in
                    try await connection.get("/v1/events", Self.accept)
                    let answer = try #require(try await connection.read(through: "\r\n\r\n"))
                    #expect(answer.hasPrefix("HTTP/1.1 503 "))
                    #expect(answer.lowercased().contains("retry-after: "))
                }
                open.finish()
                try await group.waitForAll()
            }
            // The server detects closed connections when it next writes to them.
            var isAdmitted = false
            var tries = 0
            let notifications = BulkNotifications(count: 1_000)
            while !isAdmitted, tries < notifications.count {
                try await test.append([notifications[tries]])
                tries += 1
                isAdmitted = try await server.connect { connection in
                    try await connection.get("/v1/events", Self.accept)
                    return try await connection.read(through: "\r\n")?.hasPrefix("HTTP/1.1 200 ") == true
                }
            }
            #expect(isAdmitted)
        }
    }
}

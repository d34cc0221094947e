import AppStoreSimulation
import HTTPTypes
import Primitives
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConnectionLimitTests {
    @Test(
        arguments: [
            "X-Large: " + String(repeating: "a", count: 17 * 1_024) + "\r\n",
            (0..<101).map { "X-\($0): a\r\n" }.joined(),
            (0..<40).map { "X-\($0): \(String(repeating: "a", count: 500))\r\n" }.joined(),
        ])
    func `fields beyond 16 KiB, or more than a hundred, end the connection`(_ fields: String) async throws {
        let test = try TestLedger()
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/healthz", fields)
                #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 400 "))
            }
        }
    }

    @Test func `a target beyond 16 KiB ends the connection`() async throws {
        let test = try TestLedger()
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/healthz?" + String(repeating: "a", count: 17 * 1_024))
                #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 400 "))
            }
        }
    }

    @Test func `fields of 15 KiB are read`() async throws {
        let test = try TestLedger()
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.get("/healthz", "X-Large: " + String(repeating: "a", count: 15 * 1_024) + "\r\n")
                #expect(try await connection.read(through: "\r\n")?.hasPrefix("HTTP/1.1 200 ") == true)
            }
        }
    }

    @Test func `a large body that is refused leaves the connection in order`() async throws {
        let test = try TestLedger()
        let body = [UInt8](repeating: UInt8(ascii: " "), count: 1_100 * 1_024)
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                try await connection.send(
                    "POST /v1/app-store/notifications HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(body.count)\r\n\r\n")
                #expect(try await connection.read(through: "\r\n")?.hasPrefix("HTTP/1.1 413 ") == true)
                try await connection.send(body)
                try await connection.get("/healthz")
                #expect(try await connection.read(through: #"{"status":"ok"}"#) != nil)
            }
        }
    }

    @Test func `calls on one connection are answered in their order`() async throws {
        let test = try TestLedger()
        let bodies = Sample.notifications().compactMap(\.body)
        try await LiveServer.run(test.server) { server in
            try await server.connect { connection in
                for body in bodies {
                    try await connection.send(
                        "POST /v1/app-store/notifications HTTP/1.1\r\nHost: localhost\r\n"
                            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n")
                    try await connection.send(body)
                }
                for position in bodies.indices {
                    #expect(try await connection.read(through: #"{"position":\#(position),"duplicate":false}"#) != nil)
                }
            }
        }
    }
}

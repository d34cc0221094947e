import AppStoreSimulation
import Primitives
import Testing

@Suite("Commands about the log") struct LogCommandTests {
    private let files: SignedFiles

    init() throws { files = try SignedFiles() }

    /// Ingests a purchase for alice, which links it to her, and a consumption request about it.
    private func ingest() throws {
        let purchase = SignedFiles.transaction("1")
        let request = SignedFiles.sign([
            .init("notificationType", .string("CONSUMPTION_REQUEST")),
            .init("notificationUUID", .string("15101c57-7b3d-49c2-8adf-74ac2740ea8c")),
            .init("signedDate", .integer(SignedFiles.start)),
            .init(
                "data",
                .object([
                    "bundleId": .string(SignedFiles.bundleId), "environment": .string("Production"),
                    "signedTransactionInfo": .string(purchase.text),
                ])),
        ])
        for (name, text, arguments) in [
            ("purchase.jsonl", purchase.text, ["--customer", "alice"]), ("request.jsonl", request.text, []),
        ] {
            let run = try Subledger(
                ["ingest", try files.archive(name, [text]), "--data", files.data, "--quiet"] + arguments + files.trust)
            #expect(run.ending == .exited(0), "\(run.errors)")
        }
    }

    private func log(_ arguments: [String]) throws -> Subledger {
        let run = try Subledger(["log"] + arguments + ["--data", files.data])
        #expect(run.ending == .exited(0), "\(run.errors)")
        return run
    }

    /// The cells of a table without `recordedAt`, which is the time of the test.
    private static func cells(_ run: Subledger) -> [[String]] {
        run.output.split(separator: "\n").map { line in
            var cells = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            cells.remove(at: 1)
            return cells
        }
    }

    private static let header = ["position", "kind", "type", "productId", "originalTransactionId", "source", "body"]

    /// The rows of a table, with the bodies as JSON output has them.
    private func rows() throws -> [[String]] {
        let bodies = try (0..<3).map { position in
            let output = try log(["show", "\(position)", "--format", "json"]).output
            let start = try #require(output.firstRange(of: "\"body\":")).upperBound
            return String(output[start..<(try #require(output.firstRange(of: ",\"about\":"))).lowerBound])
        }
        #expect(bodies[0] == "{}" && bodies[1].contains("\"handle\"") && bodies[2].contains("\"notificationUUID\""))
        return [
            ["0", "transactionVerified", "-", "pro", "1", "file", "-"],
            ["1", "customerLinked", "-", "-", "1", "file", bodies[1]],
            ["2", "notificationReceived", "CONSUMPTION_REQUEST", "pro", "1", "file", bodies[2]],
        ]
    }

    @Test func `print tables whose columns stand under each other`() async throws {
        try await blocking {
            try ingest()
            let rows = try rows()
            let tail = try log(["tail", "--format", "table"])
            #expect(Self.cells(tail) == [Self.header] + rows)
            let starts = tail.output.split(separator: "\n").compactMap { line in
                line.firstRange(of: "  file").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
            }
            #expect(starts.count == 3 && Set(starts).count == 1)
            #expect(try Self.cells(log(["tail", "-n", "1", "--format", "table"])) == [Self.header, rows[2]])
            for position in 0..<3 {
                let show = try log(["show", "\(position)", "--format", "table"])
                #expect(Self.cells(show) == [Self.header, rows[position]])
            }
        }
    }

    @Test func `say until when a request can be answered`() async throws {
        try await blocking {
            try ingest()
            for run in [try log(["tail", "-n", "1", "--format", "json"]), try log(["show", "2", "--format", "json"])] {
                let event = try #require(try run.lines.first)
                #expect(event["about"]?["deadline"]?.string == "2024-01-01T12:00:00.000Z")
                #expect(event["about"]?["transactionId"]?.string == "1")
            }
            #expect(try log(["tail", "--format", "json"]).lines.map { $0["facts"] == nil } == [true, true, true])
            #expect(try log(["show", "2", "--format", "json"]).lines.first?["facts"]?.elements?.count == 2)
        }
    }
}

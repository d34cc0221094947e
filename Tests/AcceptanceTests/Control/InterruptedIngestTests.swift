import AppStoreSimulation
import Glibc
import Primitives
import Testing

@Suite("An ingest beside a service") struct InterruptedIngestTests {
    private let files: SignedFiles

    init() throws { files = try SignedFiles() }

    /// Results are reported when four chunks of 1,024 artifacts have been read. The rest of the input is never sent.
    private static let count = 4_200
    /// The artifact whose refusal is reported. Those before it are appended in the same commit or in an earlier one.
    private static let refused = 1_000

    private var arguments: [String] { ["--data", files.data, "--format", "json"] + files.trust }

    @Test(arguments: [true, false])
    func `loses nothing reported when one side is killed, and can be repeated`(killsService: Bool) async throws {
        try await blocking {
            let lines = (0..<Self.count).map { number in
                let transaction = SignedFiles.transaction("\(number)")
                return number == Self.refused ? transaction.forged.text : transaction.text
            }
            let service = try Service(files.data)
            let client = try ChildProcess("subledger", ["ingest", "-"] + arguments)
            for line in lines { client.send(line) }
            let reported = try #require(client.nextLine(), "\(client.standardError)")
            #expect(reported.contains(#""file":"-:\#(Self.refused + 1)""#), "\(reported)")

            if killsService {
                #expect(service.child.end(by: SIGKILL) == .signalled(SIGKILL))
                client.closeInput()
                #expect(client.remainingLines() == [])
                #expect(client.end() == .exited(3))
                #expect(client.standardError.contains(#""code":"io_error""#), "\(client.standardError)")
            } else {
                #expect(client.end(by: SIGKILL) == .signalled(SIGKILL))
            }
            let next = killsService ? try Service(files.data) : service
            let repeated = try Subledger(["ingest", try files.archive("all.jsonl", lines)] + arguments)
            let sums = try #require(try repeated.lines.last, "\(repeated.errors)")
            let appended = try #require(sums["appended"]?.integer)
            let duplicates = try #require(sums["duplicates"]?.integer)
            #expect(appended + duplicates == Int64(Self.count - 1))
            #expect(duplicates >= Int64(Self.refused) && appended > 0, "\(appended), \(duplicates)")
            try next.stop()
            let stat = try Subledger(["log", "stat", "--data", files.data, "--format", "json"])
            #expect(try stat.lines.first?["events"]?.integer == Int64(Self.count - 1))
        }
    }
}

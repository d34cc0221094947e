import FoundationEssentials
import LedgerTesting
import Testing

/// Runs the scenarios against the program with their own runner. Each is a history with the answers that Apple's
/// semantics require.
@Suite struct `The scenarios` {
    @Test func `are all answered as they say`() throws {
        guard let folder = TestEnvironment.scenarios else {
            print("scenarios: absent")
            return
        }
        let child = try ChildProcess(
            try Self.python(), ["\(folder)/run", "--bin", try ChildProcess.folder() + "/subledger"])
        child.closeInput()
        let lines = child.remainingLines()
        let ending = child.end(by: nil)
        print("scenarios: \(lines.last ?? "no output")")
        for line in lines where line.hasPrefix("WRONG") { Issue.record("\(line)") }
        #expect(ending == .exited(0), "\(child.standardError)")
        #expect(lines.filter { $0.hasPrefix("ok ") }.count > 0)
    }

    private static func python() throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return try #require(
            folders.map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) },
            "the scenarios need python3")
    }
}

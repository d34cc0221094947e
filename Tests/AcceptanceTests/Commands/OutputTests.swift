import Testing

@Suite("The output of a command") struct OutputTests {
    /// By the shell, which knows how to send its output elsewhere.
    private func end(writingTo path: String) throws -> (ending: ChildProcess.Ending, errors: String) {
        let command = "exec \"$0\" key new --role backend --name web --format json > \(path)"
        let shell = try ChildProcess("/bin/sh", ["-c", command, ChildProcess.folder() + "/subledger"])
        shell.closeInput()
        return (shell.end(by: nil), shell.standardError)
    }

    @Test func `that finds no room is told, and is no success`() async throws {
        try await blocking {
            let lost = try end(writingTo: "/dev/full")
            #expect(lost.ending == .exited(3))
            #expect(lost.errors.contains(#"{"error":{"code":"disk_full""#), "\(lost.errors)")
            let written = try end(writingTo: "/dev/null")
            #expect(written.ending == .exited(0) && written.errors.isEmpty)
        }
    }
}

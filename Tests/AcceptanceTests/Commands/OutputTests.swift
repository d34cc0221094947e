import Testing

@Suite("The output of a command") struct OutputTests {
    /// Runs a command in a shell that redirects its output to `path`.
    private func end(
        _ command: String, writingTo path: String
    ) throws -> (ending: ChildProcess.Ending, errors: String) {
        let command = "exec \"$0\" \(command) --format json > \(path)"
        let shell = try ChildProcess("/bin/sh", ["-c", command, ChildProcess.folder() + "/subledger"])
        shell.closeInput()
        return (shell.end(by: nil), shell.standardError)
    }

    /// A command that succeeds and one that refuses its standard input, with their exit codes.
    @Test(arguments: [("key new --role backend --name web", 0), ("verify - < /proc/self/cmdline", 1)])
    func `that finds no room is told, and is no success`(command: String, ending: Int32) async throws {
        try await blocking {
            let lost = try end(command, writingTo: "/dev/full")
            #expect(lost.ending == .exited(3))
            #expect(lost.errors.contains(#"{"error":{"code":"disk_full""#), "\(lost.errors)")
            let written = try end(command, writingTo: "/dev/null")
            #expect(written.ending == .exited(ending) && written.errors.isEmpty)
        }
    }
}

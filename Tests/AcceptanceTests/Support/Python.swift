import FoundationEssentials
import Testing

/// Programs in Python, with the packages of others that `Tools/peers` installs.
enum Python {
    /// Runs a script to its successful end.
    /// - Parameter script: a path.
    /// - Returns: the lines of its output.
    static func lines(_ script: String, _ arguments: [String]) throws -> [String] {
        let child = try start(script, arguments)
        child.closeInput()
        let lines = child.remainingLines()
        let ending = child.end(by: nil)
        try #require(ending == .exited(0), "\(child.standardError)")
        return lines
    }

    /// Starts a script.
    /// - Parameter script: a path.
    static func start(_ script: String, _ arguments: [String]) throws -> ChildProcess {
        let python = FileManager.default.currentDirectoryPath + "/.build/peers/bin/python"
        try #require(FileManager.default.fileExists(atPath: python), "run Tools/peers")
        return try ChildProcess(python, [script] + arguments)
    }

    /// Returns the path of a file beside the source file of a test.
    static func path(of file: String, beside source: String) -> String {
        "/" + source.split(separator: "/").dropLast().joined(separator: "/") + "/" + file
    }
}

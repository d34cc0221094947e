import FoundationEssentials
import Glibc
import LedgerTesting
import Testing

/// Scripts in `Peers/`, run with the packages that `Tools/peers` installs.
enum Python {
    /// Runs a script in the folder, to its successful end.
    /// - Returns: the lines of its output.
    @discardableResult
    static func run(_ script: String, _ arguments: [String], in folder: TemporaryFolder) throws -> [String] {
        let python = FileManager.default.currentDirectoryPath + "/.build/peers/bin/python"
        try #require(FileManager.default.fileExists(atPath: python), "run Tools/peers")
        let words = [python, peers + script] + arguments
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        let pipe = try #require(popen("cd '\(folder.path)' && \(command) 2>&1", "r"))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer[..<count] }
        let text = String(decoding: output, as: UTF8.self)
        try #require(pclose(pipe) == 0, "\(script): \(text)")
        return text.split(separator: "\n").map(String.init)
    }

    private static let peers = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Peers/"
}

extension TemporaryFolder {
    func write(_ bytes: [UInt8], to file: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(file)"))
    }
}

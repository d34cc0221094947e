import FoundationEssentials
import Glibc
import Testing

/// A folder of its own for one test, removed with all that is in it when the test lets go of it.
final class TemporaryFolder: Sendable {
    let path: String

    static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir }

    init() throws {
        var template = Array("\(Self.parent)/acceptance-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Removes a folder in it, if it is there.
    func remove(_ name: String) throws {
        guard FileManager.default.fileExists(atPath: "\(path)/\(name)") else { return }
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
}

enum File {
    static func read(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }
}

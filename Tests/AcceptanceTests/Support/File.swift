import FoundationEssentials
import LedgerTesting

extension TemporaryFolder {
    /// Removes a folder in it, if it exists.
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

import FoundationEssentials
package import LedgerStorage

/// A folder for one test, removed with its contents when the test releases it.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.path + "/subledger-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns a new data folder in it.
    package func data() throws -> DataFolder {
        let folder = DataFolder(path: path + "/data")
        try folder.create()
        return folder
    }
}

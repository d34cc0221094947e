import EventLog
import FoundationEssentials
import Testing

/// A folder of its own for one test, removed with all that is in it when the test lets go of it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/event-log-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A ledger's folder in it, with everything that belongs there.
    func data() throws -> DataFolder {
        let folder = DataFolder(path: path + "/data")
        try folder.create()
        return folder
    }
}

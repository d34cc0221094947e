import FoundationEssentials

/// A folder of a benchmark's own, on the disk the project is on, gone with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = URL(filePath: ".build/benchmarks/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

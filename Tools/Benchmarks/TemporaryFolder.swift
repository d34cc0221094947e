import FoundationEssentials

/// A folder for one benchmark, on the project's disk, removed when the value is released.
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

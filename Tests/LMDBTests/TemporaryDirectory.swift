import Glibc
import LMDB
import Testing

/// A directory for one test, removed with its files when the test releases it.
final class TemporaryDirectory: Sendable {
    let path: String

    convenience init() throws { self.init(path: try Self.make()) }

    /// Takes ownership of a directory created by `make`.
    init(path: String) { self.path = path }

    static func make() throws -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(parent)/lmdb-tests-XXXXXX".utf8CString)
        return String(cString: try #require(mkdtemp(&template)))
    }

    deinit { remove() }

    func remove() {
        for name in [Environment.dataFileName, "lock.mdb"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    var dataFile: String { "\(path)/\(Environment.dataFileName)" }

    func read() throws -> [UInt8] {
        let file = try MappedFile(dataFile)
        return file.bytes.withUnsafeBytes { Array($0) }
    }

    /// Replaces the data file.
    func write(_ bytes: [UInt8]) throws {
        let descriptor = open(dataFile, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            try #require(count > 0)
            written += count
        }
    }
}

import Glibc
import SubscriptionLedger

/// Walks the artifacts of files named on the command line.
enum ArtifactFiles {
    static func forEach(in path: String, _ body: (FoundArtifact) async throws -> Void) async throws {
        do {
            if path == "-" || ArtifactFile.isArchive(path) {
                var lines = try LineReader(path: path, limit: ArtifactFile.byteLimit)
                var number = 0
                while let line = try lines.next() {
                    number += 1
                    guard line.contains(where: { $0 > 0x20 }) else { continue }
                    try await body(ArtifactFile.artifact(inLine: line, file: path, number: number))
                }
            } else {
                let bytes = try InputFile.bytes(of: path, limit: ArtifactFile.byteLimit)
                try await body(ArtifactFile.artifact(in: bytes, file: path))
            }
        } catch let failure as InputFailure {
            throw CommandFailure(
                code: "io_error", message: "\(failure.path) was not read", found: failure.reason,
                exitCode: CommandFailure.io)
        }
    }

    /// The files a path stands for: itself, or what a directory holds below it, by name.
    static func expand(_ path: String) throws -> [String] {
        guard path != "-" else { return [path] }
        guard let directory = opendir(path) else {
            // Not a directory, or nothing at all, which reading the file will tell.
            if errno == ENOTDIR || errno == ENOENT { return [path] }
            throw CommandFailure(
                code: "io_error", message: "\(path) was not read", found: String(cString: strerror(errno)),
                exitCode: CommandFailure.io)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            // d_name is a NUL-terminated C string inside the entry, valid until the next readdir.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return try names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.flatMap { try expand("\(path)/\($0)") }
    }
}

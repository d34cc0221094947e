import AppStoreVerification
import Glibc
import Ingestion
import LedgerStorage
import SubscriptionLedger

/// Iterates over the artifacts of files named on the command line.
enum ArtifactFiles {
    /// - Parameters:
    ///   - reading: what counts of a text that is not signed as a whole.
    ///   - unsigned: receives each such text before its signed parts, and its place.
    static func forEach(
        in path: String, _ reading: UnsignedReading, unsigned: ((UnsignedDocument, String) -> Void)? = nil,
        _ body: (FoundArtifact) async throws -> Void
    ) async throws {
        do {
            if path == "-" || ArtifactFile.isArchive(path) {
                var lines = try LineReader(path: path, limit: ArtifactFile.byteLimit)
                var number = 0
                while let line = try lines.next() {
                    number += 1
                    guard line.contains(where: { $0 > 0x20 }) else { continue }
                    if let unsigned {
                        ArtifactFile.unsignedDocument(in: line).map { unsigned($0, "\(path):\(number)") }
                    }
                    for found in ArtifactFile.artifacts(
                        inLine: line, file: path, number: number, unsigned: reading)
                    {
                        try await body(found)
                    }
                }
            } else {
                let bytes = try InputFile.bytes(of: path, limit: ArtifactFile.byteLimit)
                if let unsigned { ArtifactFile.unsignedDocument(in: bytes).map { unsigned($0, path) } }
                for found in ArtifactFile.artifacts(in: bytes, file: path, unsigned: reading) {
                    try await body(found)
                }
            }
        } catch let failure as InputFailure {
            throw Self.failure(failure.path, failure.reason)
        }
    }

    /// Returns the files that the paths name, in order.
    /// - Throws: `io_error` when a file does not exist or is not readable.
    static func readable(_ paths: [String]) throws -> [String] {
        let files = try paths.flatMap(expand)
        // Checked without opening: after a close, the writer of a named pipe would find that its reader has gone.
        for file in files where file != "-" && access(file, R_OK) != 0 { throw failure(file, errno) }
        return files
    }

    /// Returns the files that a path names: the path itself, or the files below a directory, sorted by name and without
    /// hidden ones.
    private static func expand(_ path: String) throws -> [String] {
        guard path != "-" else { return [path] }
        guard let directory = opendir(path) else {
            // A file, or a path that does not exist.
            if errno == ENOTDIR || errno == ENOENT { return [path] }
            throw failure(path, errno)
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

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        failure(path, String(cString: strerror(code)))
    }

    private static func failure(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            code: "io_error", message: "\(path) cannot be read", found: reason, exitCode: CommandFailure.io)
    }
}

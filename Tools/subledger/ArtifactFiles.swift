import SubscriptionLedger

/// Walks the artifacts of files named on the command line.
enum ArtifactFiles {
    static func forEach(in path: String, _ body: (FoundArtifact) async throws -> Void) async throws {
        do {
            if path == "-" || ArtifactFile.isArchive(path) {
                var lines = try LineReader(path: path, limit: ArtifactFile.lineLimit)
                var number = 0
                while let line = try lines.next() {
                    number += 1
                    guard line.contains(where: { $0 > 0x20 }) else { continue }
                    try await body(ArtifactFile.artifact(inLine: line, file: path, number: number))
                }
            } else {
                let bytes = try InputFile.bytes(of: path, limit: ArtifactFile.lineLimit)
                try await body(ArtifactFile.artifact(in: bytes, file: path))
            }
        } catch let failure as InputFailure {
            throw CommandFailure(
                code: "io_error", message: "\(failure.path) was not read", found: failure.reason,
                exitCode: CommandFailure.io)
        }
    }
}

package import AppStoreVerification
import EventLog

/// Takes artifacts in order, checks them on every core, and appends them in that order.
///
/// A chunk is checked while the one before is being appended, so that cores and disk are both at work.
package struct IngestPipeline {
    /// What became of one artifact.
    package struct Result: Sendable {
        package let file: String
        package let kind: ArtifactKind?
        package let byteCount: Int
        package let outcome: IngestOutcome
    }

    /// Artifacts of a chunk: at most so many, or so many bytes of them.
    private static let chunkCount = 1_024
    private static let chunkBytes = 8 * 1_024 * 1_024
    /// Cut into pieces for the cores to take.
    private static let stripe = 32

    private let ledger: Ledger
    private var chunk: [FoundArtifact] = []
    private var chunkByteCount = 0
    private var appending: Task<[Result], any Error>?

    package init(ledger: Ledger) {
        self.ledger = ledger
    }

    /// - Returns: results that have become known, in order.
    /// - Throws: `EventLogError`; what was not answered was not appended, or will be a duplicate.
    package mutating func add(_ found: FoundArtifact) async throws -> [Result] {
        chunk.append(found)
        chunkByteCount += (try? found.content.get().jws.count) ?? 0
        guard chunk.count >= Self.chunkCount || chunkByteCount >= Self.chunkBytes else { return [] }
        return try await advance()
    }

    package mutating func finish() async throws -> [Result] {
        try await advance() + advance()
    }

    /// Starts on the chunk, and waits for the one before.
    private mutating func advance() async throws -> [Result] {
        let (found, ledger) = (chunk, self.ledger)
        chunk = []
        chunkByteCount = 0
        let checked = await Self.check(found, ledger)
        let results = try await appending?.value ?? []
        appending =
            found.isEmpty
            ? nil
            : Task {
                let outcomes = try await ledger.append(checked, source: .file)
                return zip(found, outcomes).map { found, outcome in
                    let content = try? found.content.get()
                    return Result(
                        file: found.file, kind: content?.kind, byteCount: content?.jws.count ?? 0, outcome: outcome)
                }
            }
        return results
    }

    private static func check(_ found: [FoundArtifact], _ ledger: Ledger) async -> [CheckedArtifact] {
        await withTaskGroup(of: (Int, [CheckedArtifact]).self) { group in
            for start in stride(from: 0, to: found.count, by: stripe) {
                group.addTask {
                    var checked: [CheckedArtifact] = []
                    for artifact in found[start..<min(start + stripe, found.count)] {
                        checked.append(await check(artifact, ledger))
                    }
                    return (start, checked)
                }
            }
            var stripes: [Int: [CheckedArtifact]] = [:]
            for await (start, checked) in group { stripes[start] = checked }
            return stripes.keys.sorted().flatMap { stripes[$0] ?? [] }
        }
    }

    @concurrent
    private static func check(_ found: FoundArtifact, _ ledger: Ledger) async -> CheckedArtifact {
        switch found.content {
        case .success(let content): await ledger.check(content.jws, as: content.kind, source: .file)
        case .failure(let refusal): .refused(refusal, artifact: [])
        }
    }
}

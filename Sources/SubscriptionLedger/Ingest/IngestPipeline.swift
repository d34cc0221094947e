package import AppStoreVerification
import EventLog

/// Takes artifacts in order, checks them on every core, and appends them in that order, for a customer if one is named.
///
/// A chunk is checked while the one before is being appended, so that cores and disk are both at work.
package struct IngestPipeline {
    /// What became of one artifact.
    package struct Result: Sendable {
        package let found: FoundArtifact
        package let outcome: IngestOutcome
        /// Why it is not the customer's that it was ingested for, though it was accepted.
        package let linkRefusal: Refusal?

        package var byteCount: Int { (try? found.content.get().jws.count) ?? 0 }
    }

    /// Artifacts of a chunk: at most so many, or so many bytes of them.
    private static let chunkCount = 1_024
    private static let chunkBytes = 8 * 1_024 * 1_024
    /// Cut into pieces for the cores to take.
    private static let stripe = 32

    private let ledger: Ledger
    private let customer: CustomerName?
    private var chunk: [FoundArtifact] = []
    private var chunkByteCount = 0
    private var appending: Task<[Result], any Error>?

    package init(ledger: Ledger) {
        self.ledger = ledger
        customer = nil
    }

    /// - Parameter customerId: whose the transactions are, on the word of who ingests them.
    /// - Throws: `customer_id_invalid`.
    package init(ledger: Ledger, customerId: String) throws(CustomerError) {
        self.ledger = ledger
        customer = try CustomerName(customerId)
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
        let (found, ledger, customer) = (chunk, self.ledger, self.customer)
        chunk = []
        chunkByteCount = 0
        let checked = await Self.check(found, ledger, linking: customer != nil)
        let results = try await appending?.value ?? []
        appending = found.isEmpty ? nil : Task { try await Self.append(checked, of: found, to: ledger, for: customer) }
        return results
    }

    /// - Parameter linking: whether it matters whose a transaction is.
    private static func check(
        _ found: [FoundArtifact], _ ledger: Ledger, linking: Bool
    ) async -> [(artifact: CheckedArtifact, transaction: PostedTransaction?)] {
        await withTaskGroup(of: (Int, [(CheckedArtifact, PostedTransaction?)]).self) { group in
            for start in stride(from: 0, to: found.count, by: stripe) {
                group.addTask {
                    var checked: [(CheckedArtifact, PostedTransaction?)] = []
                    for index in start..<min(start + stripe, found.count) {
                        checked.append(await check(found[index], at: index, ledger, linking: linking))
                    }
                    return (start, checked)
                }
            }
            var stripes: [Int: [(CheckedArtifact, PostedTransaction?)]] = [:]
            for await (start, checked) in group { stripes[start] = checked }
            return stripes.keys.sorted().flatMap { stripes[$0] ?? [] }
        }
    }

    @concurrent
    private static func check(
        _ found: FoundArtifact, at index: Int, _ ledger: Ledger, linking: Bool
    ) async -> (CheckedArtifact, PostedTransaction?) {
        switch found.content {
        case .failure(let refusal): (.refused(refusal, artifact: []), nil)
        case .success(let content) where linking: await ledger.checkLinkable(content, at: index, source: .file)
        case .success(let content): (await ledger.check(content.jws, as: content.kind, source: .file), nil)
        }
    }

    private static func append(
        _ checked: [(artifact: CheckedArtifact, transaction: PostedTransaction?)], of found: [FoundArtifact],
        to ledger: Ledger, for customer: CustomerName?
    ) async throws -> [Result] {
        let artifacts = checked.map(\.artifact)
        var linkRefusals: [Int: Refusal] = [:]
        let outcomes: [IngestOutcome]
        if let customer {
            let linked = try await ledger.append(
                artifacts, linking: checked.compactMap(\.transaction), to: customer, source: .file)
            outcomes = linked.outcomes
            for refused in linked.refused { refused.index.map { linkRefusals[$0] = Refusal(refused) } }
        } else {
            outcomes = try await ledger.append(artifacts, source: .file)
        }
        return zip(found, outcomes).enumerated().map { index, artifact in
            Result(found: artifact.0, outcome: artifact.1, linkRefusal: linkRefusals[index])
        }
    }
}

extension Refusal {
    fileprivate init(_ refused: PostingOutcome.Refused) {
        self.init(RefusalCode(rawValue: refused.code), refused.reason)
    }
}

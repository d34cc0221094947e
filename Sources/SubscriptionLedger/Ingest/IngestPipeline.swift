package import AppStoreVerification
import EventLog
import LedgerAPI

/// How the command line ingests: takes artifacts in order, checks them on every core, and appends them in that order,
/// for a customer if one is named.
///
/// Checking goes on while what was checked before is being appended, so that cores and disk are both at work.
package struct IngestPipeline {
    /// What became of one artifact.
    package struct Result: Sendable {
        /// As `FoundArtifact` names it.
        package let file: String
        package let byteCount: Int
        /// Nil where neither verification nor the artifact tells.
        package let kind: ArtifactKind?
        package let outcome: IngestOutcome
        /// Why it is not the customer's that it was ingested for, though it was accepted.
        package let linkRefusal: Refusal?
        /// Whether it holds a transaction that can be linked to a customer; false when none was asked for.
        package let isLinkable: Bool
    }

    /// What is left of an artifact once it is checked; of an accepted one its bytes are not.
    private struct Checked {
        let file: String
        let byteCount: Int
        let kind: ArtifactKind?
        let artifact: CheckedArtifact
        /// When it matters whose it is.
        let transaction: PostedTransaction?
    }

    /// What is appended together.
    private struct Chunk {
        /// At most so many artifacts, or so many bytes of them.
        static let countLimit = 1_024
        static let byteLimit = 8 * 1_024 * 1_024
        /// Checked in pieces of so many, for the cores to take as they come.
        static let stripe = 32

        var count = 0
        var byteCount = 0
        /// Those that are in no stripe yet.
        var found: [FoundArtifact] = []
        var stripes: [Task<[Checked], Never>] = []

        var isFull: Bool { count >= Self.countLimit || byteCount >= Self.byteLimit }
    }

    private let ledger: Ledger
    private let customer: CustomerName?
    private var chunk = Chunk()
    /// Being checked, the oldest first: at most two, so that no core waits for the last stripe of one.
    private var checking: [Chunk] = []
    private var appending: Task<[Result], any Error>?

    /// - Parameter customer: whose the transactions are, on the word of who ingests them.
    package init(ledger: Ledger, customer: CustomerName? = nil) {
        self.ledger = ledger
        self.customer = customer
    }

    /// - Returns: results that have become known, in order.
    /// - Throws: `EventLogError`; what was not answered was not appended, or will be a duplicate.
    package mutating func add(_ found: FoundArtifact) async throws -> [Result] {
        chunk.found.append(found)
        chunk.count += 1
        chunk.byteCount += found.byteCount
        if chunk.found.count == Chunk.stripe || chunk.isFull { startStripe() }
        guard chunk.isFull else { return [] }
        checking.append(chunk)
        chunk = Chunk()
        return checking.count > 2 ? try await appendOldest() : []
    }

    package mutating func finish() async throws -> [Result] {
        if chunk.count > 0 {
            startStripe()
            checking.append(chunk)
            chunk = Chunk()
        }
        var results: [Result] = []
        while !checking.isEmpty { results += try await appendOldest() }
        return try await results + (appending?.value ?? [])
    }

    private mutating func startStripe() {
        let (stripe, end, ledger, linking) = (chunk.found, chunk.count, self.ledger, customer != nil)
        chunk.stripes.append(
            Task {
                var checked: [Checked] = []
                for (found, index) in zip(stripe, end - stripe.count..<end) {
                    checked.append(await Self.check(found, at: index, ledger, linking: linking))
                }
                return checked
            })
        chunk.found = []
    }

    /// Starts to append the oldest chunk, and waits for the one before.
    private mutating func appendOldest() async throws -> [Result] {
        let oldest = checking.removeFirst()
        var checked: [Checked] = []
        for stripe in oldest.stripes { checked += await stripe.value }
        let results = try await appending?.value ?? []
        let (ledger, customer) = (self.ledger, self.customer)
        appending = Task { [checked] in try await Self.append(checked, to: ledger, for: customer) }
        return results
    }

    /// - Parameter linking: whether it matters whose a transaction is.
    @concurrent
    private static func check(
        _ found: FoundArtifact, at index: Int, _ ledger: Ledger, linking: Bool
    ) async -> Checked {
        let (artifact, transaction): (CheckedArtifact, PostedTransaction?) =
            switch found.content {
            case .failure(let refusal): (.refused(refusal, artifact: []), nil)
            case .success(let content) where linking:
                await ledger.checkLinkable(content, at: index, source: found.source)
            case .success(let content): (await ledger.check(content.jws, as: content.kind, source: found.source), nil)
            }
        return Checked(
            file: found.file, byteCount: found.byteCount, kind: artifact.kind ?? found.claimedKind,
            artifact: artifact, transaction: transaction)
    }

    private static func append(
        _ checked: [Checked], to ledger: Ledger, for customer: CustomerName?
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
        return zip(checked, outcomes).enumerated().map { index, artifact in
            Result(
                file: artifact.0.file, byteCount: artifact.0.byteCount, kind: artifact.0.kind, outcome: artifact.1,
                linkRefusal: linkRefusals[index], isLinkable: artifact.0.transaction != nil)
        }
    }
}

extension Refusal {
    fileprivate init(_ refused: RefusedRow) {
        self.init(RefusalCode(rawValue: refused.code), refused.reason)
    }
}

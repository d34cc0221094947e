package import AppStoreVerification
import EventLog
package import Ingestion
import LedgerAPI
import LedgerStorage
import Primitives

/// Ingests artifacts for the command line. Checks them on every core and appends them in order, for a customer if one
/// is named.
///
/// Checking overlaps with appending, so that cores and disk work at the same time.
package struct IngestPipeline {
    /// The result of one artifact.
    package struct Result: Sendable {
        /// The `file` of the `FoundArtifact`.
        package let file: String
        package let byteCount: Int
        /// The kind; nil when neither verification nor the artifact states it.
        package let kind: ArtifactKind?
        package let outcome: IngestOutcome
        /// The reason that an accepted transaction does not belong to the named customer.
        package let linkRefusal: Refusal?
        /// Whether the artifact contains a transaction that can be linked to the named customer; false without a
        /// customer.
        package let isLinkable: Bool
    }

    /// A checked artifact. An accepted one no longer has its original bytes.
    private struct Checked {
        let file: String
        let byteCount: Int
        let kind: ArtifactKind?
        let artifact: CheckedArtifact
        /// The transactions to link; empty without a named customer.
        let transactions: [PostedTransaction]
    }

    /// The artifacts that are appended in one call.
    private struct Chunk {
        /// The number of artifacts, or of their bytes, at which a chunk is full.
        static let countLimit = 1_024
        static let byteLimit = 8 * 1_024 * 1_024
        /// The number of artifacts that one task checks.
        static let stripe = 32

        var count = 0
        var byteCount = 0
        /// The artifacts that are not yet in a stripe.
        var found: [FoundArtifact] = []
        var stripes: [Task<[Checked], Never>] = []

        var isFull: Bool { count >= Self.countLimit || byteCount >= Self.byteLimit }
    }

    private let ledger: LedgerWriter
    private let ingestion: Ingestion
    private let customer: ExternalCustomerID?
    private var chunk = Chunk()
    /// The newest stripes, as many as are checked at once.
    private var running: [Task<[Checked], Never>] = []
    /// The chunks being checked, oldest first. There are at most two, so that no core waits for the last stripe of a
    /// chunk.
    private var checking: [Chunk] = []
    private var appending: Task<[Result], any Error>?

    /// - Parameters:
    ///   - trust: the policy that the artifacts have to satisfy; nil for the ledger's.
    ///   - customer: the customer to link the transactions to, with an administrator's authority.
    package init(ledger: LedgerWriter, trust: TrustPolicy? = nil, customer: ExternalCustomerID? = nil) {
        self.ledger = ledger
        ingestion = trust.map { Ingestion(trust: $0, secrets: ledger.configuration.secrets) } ?? ledger.ingestion
        self.customer = customer
    }

    /// - Returns: the results available so far, in order.
    /// - Throws: `StorageError`. Artifacts without a result may be added again: those already appended are duplicates.
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
        let ingestion = ingestion
        // In order, so that the oldest chunk is appended while the next ones are checked.
        let earlier = running.count == ConcurrencyLimiter.runningLimit ? running.removeFirst() : nil
        let task = Task {
            _ = await earlier?.value
            var checked: [Checked] = []
            for (found, index) in zip(stripe, end - stripe.count..<end) {
                checked.append(await Self.check(found, at: index, ledger, ingestion, linking: linking))
                // The threads also answer the requests of a service.
                await Task.yield()
            }
            return checked
        }
        running.append(task)
        chunk.stripes.append(task)
        chunk.found = []
    }

    /// Starts to append the oldest chunk, and returns the results of the chunk before it.
    private mutating func appendOldest() async throws -> [Result] {
        let oldest = checking.removeFirst()
        var checked: [Checked] = []
        for stripe in oldest.stripes { checked += await stripe.value }
        let results = try await appending?.value ?? []
        let (ledger, customer) = (self.ledger, self.customer)
        appending = Task { [checked] in try await Self.append(checked, to: ledger, for: customer) }
        return results
    }

    /// - Parameter linking: whether transactions are linked to a customer.
    @concurrent
    private static func check(
        _ found: FoundArtifact, at index: Int, _ ledger: LedgerWriter, _ ingestion: Ingestion, linking: Bool
    ) async -> Checked {
        let (artifact, transactions): (CheckedArtifact, [PostedTransaction]) =
            switch found.content {
            case .failure(let refusal): (.refused(refusal, artifact: []), [])
            case .success(let content) where linking:
                await ledger.checkLinkable(content, at: index, source: found.source, with: ingestion)
            case .success(let content):
                (await ledger.check(content, source: found.source, with: ingestion), [])
            }
        return Checked(
            file: found.file, byteCount: found.byteCount, kind: artifact.kind ?? found.claimedKind,
            artifact: artifact, transactions: transactions)
    }

    private static func append(
        _ checked: [Checked], to ledger: LedgerWriter, for customer: ExternalCustomerID?
    ) async throws -> [Result] {
        let artifacts = checked.map(\.artifact)
        var linkRefusals: [Int: Refusal] = [:]
        let outcomes: [IngestOutcome]
        if let customer {
            let linked = try await ledger.append(
                artifacts, linking: checked.flatMap(\.transactions), to: customer, source: .file)
            outcomes = linked.outcomes
            for refused in linked.refused { refused.index.map { linkRefusals[$0] = Refusal(refused) } }
        } else {
            outcomes = try await ledger.append(artifacts, source: .file)
        }
        return zip(checked, outcomes).enumerated().map { index, artifact in
            Result(
                file: artifact.0.file, byteCount: artifact.0.byteCount, kind: artifact.0.kind, outcome: artifact.1,
                linkRefusal: linkRefusals[index], isLinkable: !artifact.0.transactions.isEmpty)
        }
    }
}

extension Refusal {
    fileprivate init(_ refused: RefusedRow) {
        self.init(RefusalCode(rawValue: refused.code), refused.reason)
    }
}

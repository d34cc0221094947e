import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import LedgerModel
import LedgerTesting
import Primitives

/// Months of a simulated App Store: the signed artifacts and the truth.
struct SimulatedHistory: Sendable {
    let seed: UInt64
    let history: StoreHistory
    /// The delivered artifacts in the order of their delivery.
    let artifacts: [Artifact]

    /// A signed artifact and the JWS nested in it.
    struct Artifact: Sendable {
        let jws: [UInt8]
        let parts: [[UInt8]]
        let deliveredDate: Instant
    }

    static let trust: TrustPolicy = {
        guard let root = try? ConfiguredRoot(file: SigningAuthority.standard.rootCertificate) else {
            preconditionFailure("an authority's root is a certificate")
        }
        let store = StoreConfiguration.lifelike
        return TrustPolicy(
            apps: [TrustPolicy.App(bundleId: store.bundleId, appAppleId: store.appAppleId)], configuredRoots: [root])
    }()

    init(seed: UInt64, customers: Int = 60, store: StoreConfiguration = .lifelike) {
        self.seed = seed
        history = Self.unsigned(seed, customers: customers, store: store)
        artifacts = Self.sign(history.artifacts)
    }

    /// Signs the delivered artifacts. Renewal info alone names no app; it is appended because only one is configured.
    static func sign(_ artifacts: [StoreArtifact]) -> [Artifact] {
        let signer = JWSSigner()
        let delivered = artifacts.compactMap { artifact in artifact.deliveredDate.map { ($0, artifact) } }
        return delivered.sorted { $0.0 < $1.0 }.map { deliveredDate, unsigned in
            let signed = signer.sign(unsigned)
            return Artifact(
                jws: signed.jws.compact, parts: [signed.transaction, signed.renewalInfo].compactMap { $0?.compact },
                deliveredDate: deliveredDate)
        }
    }

    /// Runs a simulation, by default with enough customers to show every kind of change.
    static func unsigned(
        _ seed: UInt64, customers: Int = 60, store: StoreConfiguration = .lifelike
    ) -> StoreHistory {
        Simulation(seed: seed, customers: customers, store: store).run()
    }

    /// Successive seeds, each of which shows every kind of change.
    static let seeds = (0..<(TestEnvironment.isLong ? 200 : 20)).map { TestEnvironment.seed &+ $0 }

    /// The history of the first seed, computed once.
    static let first = SimulatedHistory(seed: TestEnvironment.seed)

    var jws: [[UInt8]] { artifacts.map(\.jws) }

    var originalTransactionIds: [String] {
        Set(history.artifacts.filter { $0.deliveredDate != nil }.compactMap(\.originalTransactionId)).sorted()
    }

    /// Random instants around the signing of changes: just before, at, and up to 58 days after.
    func instants(_ count: Int, _ generator: inout SeededGenerator) -> [Instant] {
        (0..<count).map { _ in
            let change = history.changes[Int.random(in: history.changes.indices, using: &generator)]
            let later = Int64.random(in: 0...5_000_000_000, using: &generator)
            let offset = [-1, 0, 1, 4_000, 3_600_000, later][Int.random(in: 0..<6, using: &generator)]
            return change.signedDate.advanced(byMilliseconds: offset)
        }
    }
}

import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import LedgerModel
import Primitives
import Synchronization
import TestSupport

/// Months of a simulated App Store: what it signed, and what was so.
struct SimulatedHistory: Sendable {
    let seed: UInt64
    let history: StoreHistory
    let artifacts: [Artifact]

    /// A signed artifact, and what stands in it.
    struct Artifact: Sendable {
        let jws: [UInt8]
        let parts: [[UInt8]]
        let signedDate: Instant
    }

    static let trust: TrustPolicy = {
        guard let root = try? ConfiguredRoot(file: SigningAuthority.standard.rootCertificate) else {
            preconditionFailure("an authority's root is a certificate")
        }
        let store = StoreConfiguration.lifelike
        return TrustPolicy(
            apps: [TrustPolicy.App(bundleId: store.bundleId, appAppleId: store.appAppleId)], configuredRoots: [root])
    }()

    init(seed: UInt64, customers: Int, months: Int = 18) {
        self.seed = seed
        let simulation = Simulation(seed: seed, customers: customers, months: months)
        history = simulation.run()
        let signer = JWSSigner()
        // Renewal info alone names no app, and is appended where only one can be meant: as here.
        artifacts = history.artifacts.map { unsigned in
            let signed = signer.sign(unsigned)
            return Artifact(
                jws: signed.jws.compact, parts: [signed.transaction, signed.renewalInfo].compactMap { $0?.compact },
                signedDate: unsigned.signedDate)
        }
    }

    /// One after the other they differ in everything but that each shows every kind of change.
    static let seeds = (0..<(TestEnvironment.isLong ? 20 : 3)).map { TestEnvironment.seed &+ $0 }

    private static let made = Mutex<[UInt64: SimulatedHistory]>([:])

    /// The history of a seed, made once. It tells how often each kind of change occurred.
    static func of(_ seed: UInt64) -> SimulatedHistory {
        made.withLock { made in
            if let history = made[seed] { return history }
            let history = SimulatedHistory(seed: seed, customers: TestEnvironment.isLong ? 400 : 100)
            let counts = history.history.counts.sorted { $0.key.rawValue < $1.key.rawValue }
            let text = counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            print("seed \(seed): \(history.artifacts.count) artifacts; \(text)")
            made[seed] = history
            return history
        }
    }

    var jws: [[UInt8]] { artifacts.map(\.jws) }

    var originalTransactionIds: [String] {
        Set(history.artifacts.compactMap(\.originalTransactionId)).sorted()
    }

    /// Instants of interest: when something happened, just before, some time after, and any time at all.
    func instants(_ count: Int, _ generator: inout SeededGenerator) -> [Instant] {
        (0..<count).map { _ in
            let change = history.changes[Int.random(in: history.changes.indices, using: &generator)]
            let later = Int64.random(in: 0...5_000_000_000, using: &generator)
            let offset = [-1, 0, 1, 4_000, 3_600_000, later][Int.random(in: 0..<6, using: &generator)]
            return change.signedDate.advanced(byMilliseconds: offset)
        }
    }
}

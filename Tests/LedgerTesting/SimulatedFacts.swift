package import AppStoreSimulation
package import LedgerModel
import Primitives

/// The facts of a simulated history, without signatures and without a ledger.
package struct SimulatedFacts {
    package let observations: [KeyedObservation]

    /// - Parameter artifacts: in the order of their positions; those that were never delivered are left out.
    package init(_ artifacts: [StoreArtifact]) throws {
        var observations: [KeyedObservation] = []
        for (position, artifact) in artifacts.filter({ $0.deliveredDate != nil }).enumerated() {
            let payloads = try UnsignedPayloads(artifact)
            let translation = Translation(
                position: Position(position), recordedAt: artifact.deliveredDate ?? artifact.signedDate)
            let transaction = payloads.transaction.map { SignedPayload($0.payload, digest: $0.digest) }
            let renewalInfo = payloads.renewalInfo.map { SignedPayload($0.payload, digest: $0.digest) }
            if let notification = payloads.notification {
                observations += translation.notification(
                    SignedPayload(notification.payload, digest: notification.digest), transaction: transaction,
                    renewalInfo: renewalInfo)
            } else {
                observations += transaction.map { translation.transaction($0) } ?? []
                observations +=
                    renewalInfo.map { translation.renewalInfo($0, bundleId: StoreConfiguration().bundleId) } ?? []
            }
        }
        self.observations = observations
    }

    package init(_ observations: [KeyedObservation]) {
        self.observations = observations
    }

    /// The timelines of all subscription keys.
    package var timelines: [SubscriptionKey: Timeline] {
        var byKey: [SubscriptionKey: [Observation]] = [:]
        for keyed in observations {
            guard case .subscription(let key) = keyed.key else { continue }
            byKey[key, default: []].append(keyed.observation)
        }
        return byKey.mapValues { Timeline($0) }
    }

    /// The lineages, in groups that Apple accounts join.
    package var units: [[Lineage]] { Lineage.components(of: timelines).groupedByAccounts() }
}

import EventLog
import LedgerModel
import SubscriptionStatus

/// A change of the owners of one key.
struct OwnerChange {
    let from: Set<Ownership.Owner>
    let to: Set<Ownership.Owner>
    /// The event about customers that causes the change; nil if the cause is a token that Apple signed.
    let decision: CustomerFact?

    /// The names of the change; empty when neither the owners nor their ids change. A key that changes owners without a
    /// transfer is unlinked from one customer and linked to the other.
    var words: [ChangeWord] {
        switch decision {
        // These events change the ids of an owner, even if the owner stays the same.
        case .directory(.merge): return [.merged]
        case .directory(.unmerge): return [.unmerged]
        case .token: return [.linked]
        case .grant, .download, .consent: return []
        case _ where from == to: return []
        case .transfer: return [.transferred]
        case .directory(.erasure): return [.unlinked]
        case .claim, .refusedClaim, nil:
            return (to.isSubset(of: from) ? [] : [.linked]) + (from.isSubset(of: to) ? [] : [.unlinked])
        }
    }
}

extension OwnerChange {
    var sentence: String {
        switch decision {
        case .transfer: "An administrator transferred it to another customer."
        case .directory(.merge): "Its customer was merged into another customer."
        case .directory(.unmerge): "A merge of its customers was undone."
        case .directory(.erasure): "Its customer was erased."
        case .token: "Its appAccountToken was mapped to this customer."
        case .claim, .refusedClaim: to.isSubset(of: from) ? "A customer lost it." : "It was linked to a customer."
        case .download: "The download of the app was linked to a customer."
        case .grant: "An administrator granted an entitlement."
        case .consent: "The customer's consent was recorded."
        case nil: "Apple signed another appAccountToken for it."
        }
    }
}

extension CustomerFact {
    /// The name of the event, as the cause of a change.
    var cause: String {
        let kind: EventKind =
            switch self {
            case .claim: .customerLinked
            case .refusedClaim: .linkRefused
            case .transfer: .subscriptionTransferred
            case .directory(.merge): .customersMerged
            case .directory(.unmerge): .customersUnmerged
            case .directory(.erasure): .customerErased
            case .token: .tokenMapped
            case .grant: .entitlementGranted
            case .download: .customerLinked
            case .consent: .consentRecorded
            }
        return kind.name
    }
}

import AppStoreModel
import LedgerModel
import Primitives

extension IntroEligibility {
    /// The reason in a sentence.
    package var explanation: String {
        let transaction = "transaction \(decidedBy?.transactionId?.text ?? "unknown")"
        switch reason {
        case .consumed:
            let day = decidedBy.map { $0.start.iso8601.prefix(10) } ?? ""
            return "The introductory offer of this subscription group was used by \(transaction) on \(day)."
        case .subscribed:
            return
                "The subscription of \(transaction) in this group is active, in its grace period or in billing retry."
        case .groupUnknown where decidedBy == nil:
            return "The subscription group of the product is not known."
        case .groupUnknown:
            return "An introductory offer was used by \(transaction), of which the subscription group is not known."
        case .historyIncomplete:
            return "Earlier purchases of this subscription group may be missing."
        case .lapsed:
            return "Purchases of this subscription group, the last by \(transaction), used no introductory offer."
        case .neverSubscribed:
            return "No purchase of this subscription group is known."
        }
    }
}

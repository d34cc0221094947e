import AppStoreModel
import LedgerModel
import Primitives

extension IntroEligibility {
    /// The reason in a sentence.
    package var explanation: String {
        let transaction =
            decidedBy?.transactionId.map { "transaction \($0.text)" } ?? "a purchase without a known transaction"
        switch reason {
        case .consumed:
            let day = decidedBy.map { $0.start.iso8601.prefix(10) } ?? ""
            return "The introductory offer of this subscription group was used by \(transaction) on \(day)."
        case .subscribed:
            return
                "The subscription of \(transaction) in this group is active, in its grace period or in billing retry."
        case .groupUnknown where decidedBy == nil:
            return "The product's subscription group is unknown."
        case .groupUnknown:
            return "An introductory offer was used by \(transaction), but its subscription group is unknown."
        case .historyIncomplete:
            return "Earlier purchases in this subscription group may be missing."
        case .lapsed:
            return
                "No known purchase in this subscription group used an introductory offer; the latest is \(transaction)."
        case .neverSubscribed:
            return "No purchases in this subscription group are known."
        }
    }
}

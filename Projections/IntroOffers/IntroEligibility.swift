import LedgerModel
import Primitives

/// Whether a customer may get the introductory offer of a product's group, and the purchase that decides it.
///
/// It is the group's, as Apple's isEligibleForIntroOffer is, whether or not the product has an offer. Apple signs no such
/// eligibility: the answer follows from the purchases that the ledger knows.
/// https://developer.apple.com/documentation/storekit/product/subscriptioninfo/iseligibleforintrooffer
package struct IntroEligibility: Hashable, Sendable {
    package enum Reason: String, Sendable, CaseIterable {
        /// An introductory offer of the group was used.
        case consumed
        /// A subscription of the group is active, in grace or in retry.
        case subscribed
        /// The group of the product, or of an introductory offer that was used, is not known.
        case groupUnknown
        /// Earlier purchases of the group may be missing.
        case historyIncomplete
        /// A subscription of the group ended, without an introductory offer.
        case lapsed
        /// No purchase of the group is known.
        case neverSubscribed

        package var isEligible: Bool? {
            switch self {
            case .consumed, .subscribed: false
            case .groupUnknown, .historyIncomplete: nil
            case .lapsed, .neverSubscribed: true
            }
        }
    }

    package let reason: Reason
    /// The deciding purchase; nil where there is none.
    package let decidedBy: AccountPurchase?
    /// Every purchase that used an introductory offer of the group, oldest first. Nil if the group is not known.
    package let consumedBy: [AccountPurchase]?

    package var isEligible: Bool? { reason.isEligible }
}

extension IntroEligibility {
    /// The answer about a product that neither a catalogue nor a purchase knows.
    package static let unknownProduct = IntroEligibility(nil, [])

    /// - Parameters:
    ///   - group: the group of the product; nil if it is not known.
    ///   - purchases: the purchases of the customer's Apple accounts, oldest first.
    ///   - isHistoryMissing: whether a subscription of the group is known that began before its first known purchase.
    init(_ group: SubscriptionGroup?, _ purchases: [AccountPurchase], isHistoryMissing: Bool = false) {
        guard let group else {
            (reason, decidedBy, consumedBy) = (.groupUnknown, nil, nil)
            return
        }
        let own = purchases.filter { $0.group == group }
        let unknown = purchases.filter { $0.group == nil && $0.key.bundle == group.bundleId && $0.consumes }
        consumedBy = own.filter(\.consumes)
        (reason, decidedBy) =
            if let first = consumedBy?.first {
                (.consumed, first)
            } else if let active = own.last(where: \.isSubscribed) {
                (.subscribed, active)
            } else if let first = unknown.first {
                (.groupUnknown, first)
            } else if let first = own.first(where: \.isHistoryIncomplete) {
                (.historyIncomplete, first)
            } else if isHistoryMissing {
                (.historyIncomplete, nil)
            } else if let last = own.last {
                (.lapsed, last)
            } else {
                (.neverSubscribed, nil)
            }
    }
}

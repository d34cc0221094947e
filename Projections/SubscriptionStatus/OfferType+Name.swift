package import AppStoreModel
package import LedgerModel
import Primitives

// Types that Apple adds later keep Apple's values.

extension OfferType {
    /// The name in answers.
    package var name: String {
        switch self {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .offerCode: "offerCode"
        case .winBack: "winBack"
        default: description
        }
    }
}

extension OfferDiscountType {
    /// The name in answers.
    package var name: String {
        switch self {
        case .freeTrial: "freeTrial"
        case .payAsYouGo: "payAsYouGo"
        case .payUpFront: "payUpFront"
        case .oneTime: "oneTime"
        default: rawValue
        }
    }
}

extension TransactionFact.Offer {
    /// The type and, where it has one, the identifier: `introductory`, `winBack/spring`.
    package var name: String {
        [offerType?.name ?? "unknown", offerIdentifier?.text].compactMap { $0 }.joined(separator: "/")
    }
}

import AppStoreModel
import LedgerModel
import Primitives

/// Whether a purchase of a subscription was paid for.
package enum Payment: String, Sendable {
    case free, paid
    /// Neither the price nor the terms of the offer are known.
    case unknown
}

extension Payment {
    /// - Parameters:
    ///   - duration: the duration of the product; nil if it is not known.
    ///   - product: the description of the product that was in effect at the start; nil without one.
    init(of period: Period, duration: CalendarPeriod?, _ product: CatalogProduct?) {
        let price = period.price?.price
        let terms = period.offer?.offerDiscountType
        if price == 0 || terms == .freeTrial {
            self = .free
        } else if price != nil || period.offer == nil || terms != nil {
            self = .paid
        } else if let offer = product?.offer(of: period) {
            self = offer.payment == .freeTrial ? .free : .paid
        } else {
            self = period.isTrialLength(under: duration) ? .free : .unknown
        }
    }
}

extension CatalogProduct {
    /// Returns the offer of a purchase; nil if the catalogue has none of its kind and identifier.
    func offer(of period: Period) -> CatalogOffer? {
        guard let type = period.offer?.offerType,
            let kind = CatalogOffer.Kind.allCases.first(where: { $0.offerType == type })
        else { return nil }
        if kind == .introductory { return introductoryOffer }
        return offers.first { $0.kind == kind && $0.id != nil && $0.id == period.offer?.offerIdentifier }
    }
}

extension CatalogOffer.Kind {
    fileprivate var offerType: OfferType {
        switch self {
        case .introductory: .introductory
        case .promotional: .promotional
        case .offerCode: .offerCode
        case .winBack: .winBack
        }
    }
}

extension Period {
    /// The days from which an offer of unknown terms is not taken for a free trial.
    private static let longestTrialDays: Int64 = 28

    /// Whether the period is shorter than 28 days and than the duration of its product.
    fileprivate func isTrialLength(under duration: CalendarPeriod?) -> Bool {
        guard let end = statedEnd, let duration else { return false }
        let limit = start.advanced(byMilliseconds: Self.longestTrialDays * Instant.millisecondsPerDay)
        return end < limit && end < start.advanced(by: duration)
    }
}

extension Period {
    /// The end that was stated first, before any extension; nil for a period that does not end.
    var statedEnd: Instant? { statementOfEnd(at: start)?.statement.value }
}

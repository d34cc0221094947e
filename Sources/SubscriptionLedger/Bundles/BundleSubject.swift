package import LedgerModel
package import PaidService

/// The subject of a question for a bundle, as it is asked.
package enum BundleSubject: Sendable {
    /// The caller's id of a customer, or a handle.
    case customer(String)
    case subscription(originalTransactionId: String)
    case transaction(id: String)
    case cell(BundleCell)
    /// The name of a close, maybe with a version.
    case close(name: String)
}

/// A cell of the retention matrix with the definitions of the question.
package struct BundleCell: Hashable, Sendable {
    package var name: CohortCellName
    package var interval: BucketCalendar.Interval
    package var cuts: [PurchaseCut]
    package var definition: Rules.Retention.Definition?
    package var zone: String?
    /// The number of members whose events are wanted; nil for all.
    package var sample: Int?

    package init(
        _ name: CohortCellName, by interval: BucketCalendar.Interval = .month, cuts: [PurchaseCut] = [],
        definition: Rules.Retention.Definition? = nil, zone: String? = nil
    ) {
        (self.name, self.interval, self.cuts) = (name, interval, cuts)
        (self.definition, self.zone) = (definition, zone)
    }
}

import AppStoreModel
package import Primitives

extension Timeline {
    /// Whether a purchase has neither a type nor an end. Answers of verifyReceipt and old receipts do not state the type
    /// of a purchase; one with an end is auto-renewable.
    package var lacksTypes: Bool { transactions.contains(where: \.lacksType) }

    /// Returns the timeline with the types that the catalogue of the app has for such purchases.
    package func typed(by catalog: CatalogHistory) -> Timeline {
        Timeline(
            transactions: transactions.map { observed in
                guard observed.lacksType, let type = observed.value.productId.flatMap(catalog.type(of:)) else {
                    return observed
                }
                var fact = observed.value
                fact.type = type
                return Observed(source: observed.source, value: fact)
            },
            renewals: renewals, notifications: notifications)
    }
}

extension [SubscriptionKey: Timeline] {
    /// The timelines with the types that the catalogues have.
    package func typed(by catalogs: [Symbol: CatalogHistory]) -> Self {
        guard values.contains(where: \.lacksTypes) else { return self }
        return Dictionary(
            uniqueKeysWithValues: map { key, timeline in
                (key, catalogs[key.bundle].map { timeline.typed(by: $0) } ?? timeline)
            })
    }
}

extension Observed<TransactionFact> {
    /// A purchase that notifications of version 1 alone state is none, whatever its type.
    fileprivate var lacksType: Bool {
        value.type == nil && value.expiresDate == nil && source.rank > .notificationV1
    }
}

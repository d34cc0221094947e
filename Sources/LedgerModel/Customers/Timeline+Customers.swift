import AppStoreModel

extension Timeline {
    /// Whether it is a family member's share of somebody else's purchase.
    package var isFamilyShared: Bool {
        transactions.contains { $0.value.inAppOwnershipType == .familyShared }
    }

    /// The Apple accounts that its purchases were made with.
    package var appTransactionIds: Set<String> {
        Set(observations.compactMap(\.fact.appTransactionId))
    }

    func stated<Value>(_ value: (Fact) -> Value?) -> [Observed<Value>] {
        observations.compactMap { observation in
            value(observation.fact).map { Observed(source: observation.source, value: $0) }
        }
    }
}

extension Fact {
    /// The Apple account, as it is written.
    package var appTransactionId: String? {
        switch self {
        case .transaction(let fact): fact.appTransactionId
        case .renewal(let fact): fact.appTransactionId
        case .notification, .app: nil
        }
    }
}

import AppStoreModel

extension Timeline {
    /// Whether any transaction comes from family sharing.
    package var isFamilyShared: Bool {
        transactions.contains { $0.value.inAppOwnershipType == .familyShared }
    }

    /// The appTransactionIds of the purchases; each names one Apple account in one app.
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
    /// The appTransactionId as stated; nil for facts without one.
    package var appTransactionId: String? {
        switch self {
        case .transaction(let fact): fact.appTransactionId
        case .renewal(let fact): fact.appTransactionId
        case .notification, .app: nil
        }
    }
}

package import AppStoreModel

extension Timeline {
    /// Whether any transaction comes from family sharing.
    package var isFamilyShared: Bool {
        transactions.contains { $0.value.inAppOwnershipType == .familyShared }
    }

    /// The appTransactionIds of the purchases; each names one Apple account in one app.
    package var appTransactionIds: Set<AppleID> {
        Set(transactions.compactMap(\.value.appTransactionId) + renewals.compactMap(\.value.appTransactionId))
    }
}

extension Fact {
    /// The appTransactionId as stated; nil for facts without one.
    package var appTransactionId: AppleID? {
        switch self {
        case .transaction(let fact): fact.appTransactionId
        case .renewal(let fact): fact.appTransactionId
        case .notification, .app: nil
        }
    }
}

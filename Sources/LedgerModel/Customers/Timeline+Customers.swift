import AppStoreModel

extension Timeline {
    /// Every token that names somebody.
    package var appAccountTokens: StepField<AppAccountToken> {
        StepField(stated { $0.appAccountToken.flatMap(AppAccountToken.init) })
    }

    /// Whether it is a family member's share of somebody else's purchase.
    package var isFamilyShared: Bool {
        transactions.contains { $0.value.inAppOwnershipType == .familyShared }
    }

    func stated<Value>(_ value: (Fact) -> Value?) -> [Observed<Value>] {
        observations.compactMap { observation in
            value(observation.fact).map { Observed(source: observation.source, value: $0) }
        }
    }
}

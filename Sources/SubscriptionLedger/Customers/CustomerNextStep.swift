package import SubscriptionStatus

/// The next step of a customer, chosen among those of the subscriptions.
package enum CustomerNextStep {
    /// The parts of one subscription that decide it.
    package struct Row: Hashable, Sendable {
        package let entitled: Bool
        package let nextStep: NextStep

        package init(entitled: Bool, nextStep: NextStep) {
            self.entitled = entitled
            self.nextStep = nextStep
        }

        init(_ state: SubscriptionState) {
            self.init(entitled: state.entitled, nextStep: state.nextStep)
        }
    }

    /// Returns the most urgent step: first a step that keeps a subscription running; then, for a customer without any
    /// entitlement, a step that restores one.
    package static func of(_ rows: [Row]) -> NextStep {
        let steps = Set(rows.map(\.nextStep))
        if let step = [NextStep.fixBilling, .consentToPrice].first(where: steps.contains) { return step }
        guard !rows.contains(where: \.entitled) else { return .none }
        return [NextStep.offerWinBack, .resubscribe].first(where: steps.contains) ?? .none
    }
}

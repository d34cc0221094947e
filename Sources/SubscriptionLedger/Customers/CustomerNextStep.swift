package import SubscriptionStatus

/// Chooses a customer's next step among those of the subscriptions.
package enum CustomerNextStep {
    /// The parts of a subscription that determine the next step.
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

    /// Returns the most urgent step. A step that keeps a subscription running comes first. For a customer without any
    /// entitlement, a step that restores one follows.
    package static func of(_ rows: [Row]) -> NextStep {
        let steps = Set(rows.map(\.nextStep))
        if let step = [NextStep.fixBilling, .consentToPrice].first(where: steps.contains) { return step }
        guard !rows.contains(where: \.entitled) else { return .none }
        return [NextStep.offerWinBack, .resubscribe].first(where: steps.contains) ?? .none
    }
}

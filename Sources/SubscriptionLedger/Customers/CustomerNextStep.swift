package import SubscriptionStatus

/// The one step that a customer is shown.
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

    /// The most urgent of the rows' steps: first a step that keeps something running, then, for a customer who is
    /// entitled to nothing, one that brings it back.
    package static func of(_ rows: [Row]) -> NextStep {
        let steps = Set(rows.map(\.nextStep))
        if let step = [NextStep.fixBilling, .consentToPrice].first(where: steps.contains) { return step }
        guard !rows.contains(where: \.entitled) else { return .none }
        return [NextStep.offerWinBack, .resubscribe].first(where: steps.contains) ?? .none
    }
}

package import AppStoreModel
import LedgerModel
package import SubscriptionStatus

/// The one step that a customer is shown.
package enum CustomerNextStep {
    /// What it depends on, of one subscription.
    package struct Row: Hashable, Sendable {
        package let environment: Environment
        package let entitled: Bool
        package let nextStep: NextStep

        package init(environment: Environment, entitled: Bool, nextStep: NextStep) {
            self.environment = environment
            self.entitled = entitled
            self.nextStep = nextStep
        }

        init(_ state: SubscriptionState) {
            self.init(environment: state.key.environment, entitled: state.entitled, nextStep: state.nextStep)
        }
    }

    /// The most urgent of the rows' steps: first what keeps something running, then, for who has nothing any more,
    /// what brings it back. A purchase in the sandbox urges nobody who also bought in production.
    package static func of(_ rows: [Row]) -> NextStep {
        let production = rows.filter { $0.environment == .production }
        let rows = production.isEmpty ? rows : production
        let steps = Set(rows.map(\.nextStep))
        if let step = [NextStep.fixBilling, .consentToPrice].first(where: steps.contains) { return step }
        guard !rows.contains(where: \.entitled) else { return .none }
        return [NextStep.offerWinBack, .resubscribe].first(where: steps.contains) ?? .none
    }
}

import AppStoreModel
import ArgumentParser
import SubscriptionLedger

/// The environment and the app of a selected subscription, and of an answer about a customer.
struct ScopeOptions: ParsableArguments {
    @Option(help: "Environment to include (default: all for a subscription, Production for a customer).")
    var environment: Environment?

    @Option(name: .customLong("bundle-id"), help: "Bundle id of the app to include (default: all).")
    var bundleId: String?

    var customerScope: CustomerScope { CustomerScope(environment: environment ?? .production, bundleId: bundleId) }

    func selector(_ originalTransactionId: String) -> SubscriptionSelector {
        SubscriptionSelector(
            originalTransactionId: originalTransactionId, environment: environment, bundleId: bundleId)
    }
}

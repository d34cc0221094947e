import AppStoreModel
import AppStoreSimulation
import Primitives

/// One customer's subscription from 2025-01-01, renewed monthly, as signed by the App Store.
enum Sample {
    static let start = Instant(milliseconds: 1_735_689_600_000)
    static let end = Instant(iso8601: "2025-06-10") ?? .earliest

    static func store(_ configuration: StoreConfiguration = StoreConfiguration()) -> AppStore {
        AppStore(configuration, opening: start)
    }

    /// The notifications up to `end`: the purchase on 1 January and five renewals.
    static func notifications(_ configuration: StoreConfiguration = StoreConfiguration()) -> [SignedStoreArtifact] {
        var store = store(configuration)
        let customer = store.addCustomer()
        store.buy("pro.monthly", by: customer, at: start)
        store.advance(to: end)
        return signed(store)
    }

    static func signed(_ store: AppStore, by signer: JWSSigner = JWSSigner()) -> [SignedStoreArtifact] {
        store.history.artifacts.filter { $0.kind == .notification }.map { signer.sign($0) }
    }

    static let originalTransactionId = "410000000000001"
}

extension SignedStoreArtifact {
    /// The text of the nested signed transaction; empty if there is none.
    var transactionText: String { transaction?.text ?? "" }
}

import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

/// A store of 200 customers with receipts from the day of its start and from the end.
struct IssuedReceipts {
    var store: LiveStore
    /// Account -> its receipt of the 100th day.
    private(set) var early: [Int: AppReceipt] = [:]

    init(seed: UInt64, customers: Int = 200) throws {
        var configuration = StoreConfiguration.lifelike
        configuration.delivery = NotificationDelivery()
        store = LiveStore(Simulation(seed: seed, customers: customers, store: configuration))
        _ = store.advance(to: store.simulation.start.advanced(byMilliseconds: 100 * Instant.millisecondsPerDay))
        for number in numbers { early[number] = try receipt(number) }
        _ = store.advance(to: store.simulation.end)
    }

    var numbers: Range<Int> { 0..<2 * store.simulation.customers }

    func purchases(_ number: Int) throws -> AccountPurchases {
        store.purchases(of: try #require(store.account(ofCustomer: number))) { _, _ in true }
    }

    /// Returns the receipt of a customer now.
    func receipt(_ number: Int) throws -> AppReceipt { try purchases(number).receipt(createdAt: store.now) }

    /// Returns the answer of verifyReceipt about a customer, by default to the receipt of now.
    func answer(
        _ number: Int, to receipt: AppReceipt? = nil, statesLatest: Bool = true, excludesOld: Bool = false,
        at instant: Instant? = nil
    ) throws -> JSONView {
        let purchases = try purchases(number)
        var answer = ReceiptAnswer(
            receipt ?? purchases.receipt(createdAt: store.now), of: purchases, requestDate: instant ?? store.now)
        answer.statesLatest = statesLatest
        answer.excludesOld = excludesOld
        let text = try answer.json(signedBy: ReceiptSigner.standard).serialized()
        return try JSONDocument(parsing: Array(text.utf8)).root
    }
}

extension JSONView {
    var latestRows: [JSONView] { self["latest_receipt_info"]?.elements ?? [] }
    var inAppRows: [JSONView] { self["receipt"]?["in_app"]?.elements ?? [] }
    var pendingRenewals: [JSONView] { self["pending_renewal_info"]?.elements ?? [] }
}

import AppStoreModel
import Primitives

/// The purchases of an Apple Account at an instant, from which receipts, answers of verifyReceipt and notifications of
/// version 1 are written.
package struct AccountPurchases: Sendable {
    let configuration: StoreConfiguration
    let customer: Customer
    let subscriptions: [Subscription]
    /// Without consumables that are finished.
    let oneTimePurchases: [OneTimePurchase]
    /// The seed of the store.
    let seed: UInt64
    package let habits: ReceiptHabits

    /// The greatest number of rows in `latest_receipt_info`.
    static let rowLimit = 100

    /// All rows, newest first.
    var rows: [ReceiptRow] { newestFirst(subscriptions.flatMap(rows) + oneTimePurchases.map(ReceiptRow.init)) }

    /// The rows of a signed receipt, newest first.
    var receiptRows: [ReceiptRow] {
        let stated = subscriptions.filter { !habits.omitsLapsed || !$0.hasLapsed }
        return newestFirst(stated.flatMap(rows) + oneTimePurchases.map(ReceiptRow.init))
    }

    /// The rows of `latest_receipt_info`, newest first. Nothing tells that older ones are missing.
    /// - Parameter excludingOld: whether only the newest row of each subscription is stated.
    func latestRows(excludingOld: Bool = false) -> [ReceiptRow] {
        let all =
            excludingOld
            ? newestFirst(
                subscriptions.compactMap { rows(of: $0).last { !$0.isUpgraded } }
                    + oneTimePurchases.map(ReceiptRow.init))
            : rows
        return Array(all.prefix(Self.rowLimit))
    }

    private func newestFirst(_ rows: [ReceiptRow]) -> [ReceiptRow] {
        rows.sorted { ($1.purchaseDate, $1.transactionId) < ($0.purchaseDate, $0.transactionId) }
    }

    /// The rows of a subscription, oldest first.
    func rows(of subscription: Subscription) -> [ReceiptRow] {
        subscription.charges.indices.map { index in
            let charge = subscription.charges[index]
            var row = ReceiptRow(charge, of: subscription.origin)
            if charge.isUpgraded, habits.cancelsReplaced,
                let successor = subscription.charges[(index + 1)...].first(where: { $0.reason == .purchase })
            {
                row.cancellation = .init(date: successor.purchaseDate, reason: .other)
            }
            return row
        }
    }
}

/// The awkward shapes that the App Store has for an account, always the same ones.
package struct ReceiptHabits: Sendable {
    /// Whether answers of verifyReceipt have an empty `latest_receipt`.
    package let leavesLatestReceiptEmpty: Bool
    /// Whether receipts omit subscriptions that have lapsed.
    package let omitsLapsed: Bool
    /// Whether the rows that a plan change replaced have a cancellation date, and a CANCEL is sent.
    package let cancelsReplaced: Bool
    /// Whether `pending_renewal_info` omits what lapsed more than 60 days ago.
    package let forgetsLapsed: Bool

    init(ofCustomer number: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed, stream: UInt64(number) << 32 | 0x2EC_E127)
        leavesLatestReceiptEmpty = generator.chance(percent: 10)
        omitsLapsed = generator.chance(percent: 15)
        cancelsReplaced = generator.chance(percent: 50)
        forgetsLapsed = generator.chance(percent: 30)
    }
}

extension AppStore {
    /// Returns the purchases of an account now.
    /// - Parameter isFinished: whether the app has finished a consumable, which no receipt states from then on.
    func purchases(of customer: CustomerID, isFinished: (Charge) -> Bool) -> AccountPurchases {
        let account = customers[customer.index]
        return AccountPurchases(
            configuration: configuration, customer: account,
            subscriptions: subscriptions.filter { $0.origin.customer == customer },
            oneTimePurchases: purchases.filter {
                $0.origin.customer == customer && ($0.charge.product.type != .consumable || !isFinished($0.charge))
            }, seed: seed, habits: ReceiptHabits(ofCustomer: account.number, seed: seed))
    }
}

extension ReceiptRow {
    /// Creates the row of a purchase. After a restore it has another transaction id and purchase date.
    fileprivate init(_ purchase: OneTimePurchase) {
        self.init(purchase.charge, of: purchase.origin)
        guard let restoration = purchase.restoration else { return }
        transactionId = restoration.transactionId
        purchaseDate = restoration.date
    }
}

extension Subscription {
    fileprivate var hasLapsed: Bool { phase == .expired || phase == .revoked }
}

package import AppStoreModel
import Primitives

/// A receipt of one transaction, as apps got it until iOS 6. Only its purchase is signed.
package struct IssuedTransactionReceipt: Hashable, Sendable {
    package let purchaseInfo: PropertyList
    /// Whether `environment = "Sandbox"` stands beside the purchase. In Production, nothing does.
    package var namesSandbox: Bool

    package var bundleId: String? { purchaseInfo["bid"] }
    var transactionId: String? { purchaseInfo["transaction-id"] }
    package var originalTransactionId: String? { purchaseInfo["original-transaction-id"] }

    /// The environment that issued it, whatever it names; nil without a transaction.
    package var environment: Environment? { transactionId.map(IdentifierSource.environment(ofTransactionId:)) }
}

extension AccountPurchases {
    func transactionReceipt(of row: ReceiptRow) -> IssuedTransactionReceipt {
        IssuedTransactionReceipt(purchaseInfo: purchaseInfo(of: row), namesSandbox: isSandbox)
    }

    private var isSandbox: Bool { configuration.environment != .production }

    private func purchaseInfo(of row: ReceiptRow) -> PropertyList {
        var info = PropertyList()
        info.add("original-purchase-date", row.originalPurchaseDate)
        info.add("purchase-date", row.purchaseDate)
        info.add("unique-identifier", deviceIdentifier)
        info.add("unique-vendor-identifier", deviceGUID.text.uppercased())
        info.add("original-transaction-id", row.originalTransactionId)
        info.add("transaction-id", row.transactionId)
        info.add("bvrs", configuration.applicationVersion)
        info.add("bid", configuration.bundleId)
        info.add("item-id", itemId(of: row.productId))
        if !isSandbox {
            info.add("app-item-id", configuration.appAppleId.map { "\($0)" })
            info.add("version-external-identifier", "\(configuration.versionExternalIdentifier)")
        }
        info.add("product-id", row.productId)
        info.add("quantity", "\(row.quantity)")
        guard let end = row.expiresDate else { return info }
        info.add("web-order-line-item-id", row.webOrderLineItemId)
        info.add("expires-date", "\(end.milliseconds)")
        info.add("expires-date-formatted", end.inGreenwich)
        info.add("expires-date-formatted-pst", end.onPacificCoast)
        info.add("is-trial-period", row.isTrialPeriod ? "true" : "false")
        info.add("is-in-intro-offer-period", row.isInIntroOfferPeriod ? "true" : "false")
        return info
    }

    /// The Apple ID of a product.
    private func itemId(of productId: String) -> String? {
        configuration.catalog.products.firstIndex { $0.id == productId }.map { "\(1_028_950_001 + $0)" }
    }
}

// MARK: - The transactions of a device

extension LiveStore {
    /// Returns the receipt of a transaction that an account's device has; nil when it has none.
    package func transactionReceipt(of transactionId: String, on account: AccountID) -> IssuedTransactionReceipt? {
        let purchases = purchases(of: account) { _, _ in false }
        let row = purchases.row(of: transactionId, at: now) ?? restoredRow(of: transactionId, in: purchases)
        return row.map(purchases.transactionReceipt)
    }

    /// Returns the row of a restored purchase, under the id and date of the restore.
    private func restoredRow(of transactionId: String, in purchases: AccountPurchases) -> ReceiptRow? {
        guard let copy = restored[transactionId].flatMap({ try? JSONDocument(parsing: $0).root }),
            let date = copy["purchaseDate"]?.integer, let origin = copy["originalTransactionId"]?.string
        else { return nil }
        let lineItem = copy["webOrderLineItemId"]?.string
        var row = purchases.row { $0.originalTransactionId == origin && $0.webOrderLineItemId == lineItem }
        row?.transactionId = transactionId
        row?.purchaseDate = Instant(milliseconds: date)
        return row
    }
}

extension AccountPurchases {
    fileprivate func row(of transactionId: String, at instant: Instant) -> ReceiptRow? {
        row { $0.transactionId == transactionId && $0.purchaseDate <= instant }
    }

    /// Returns the newest row that matches, as it was bought: without regard to restores.
    fileprivate func row(where matches: (ReceiptRow) -> Bool) -> ReceiptRow? {
        let charges = subscriptions.flatMap { subscription in
            subscription.charges.map { ReceiptRow($0, of: subscription.origin) }
        }
        return (charges + oneTimePurchases.map { ReceiptRow($0.charge, of: $0.origin) }).last(where: matches)
    }
}

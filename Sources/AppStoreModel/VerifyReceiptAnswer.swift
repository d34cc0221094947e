package import Primitives

/// An answer of verifyReceipt, in the style of app receipts or of the transaction receipts of iOS 6.
/// https://developer.apple.com/documentation/appstorereceipts/responsebody
package struct VerifyReceiptAnswer: Sendable {
    package let document: JSONView
    package let status: Int64
    /// The name of the environment; nil in the older style.
    package let environmentName: String?
    package let bundleId: String?
    /// The purchases of `latest_receipt_info` and its counterpart for expired subscriptions, as of `requestDate`.
    package let latest: [Row]
    /// The number of rows in `latest_receipt_info`, also of those that repeat another or cannot be read.
    package let latestRowCount: Int
    /// Those of the receipt, as of its creation.
    package let inApp: [Row]
    /// Whether the answer is in the older style, which states only the purchase of the receipt and the newest one.
    package let isOfTransactionReceipt: Bool
    package let renewals: [Element]
    /// The number of rows and elements that cannot be read.
    package let unreadable: Int
    /// The number of formatted dates that contradict their milliseconds.
    package let contradictions: Int
    /// The newest receipt, in base64.
    package let latestReceipt: String?
    package let requestDate: Instant?
    package let receiptCreationDate: Instant?
    /// Nil in the older style.
    package let firstDownload: FirstDownload?
    /// The member whose value has another shape than Apple's; nil without one.
    package let malformedMember: String?
    /// Whether a status from 21100 to 21199 is worth a retry.
    package let isRetryable: Bool

    package struct Row: Sendable, Hashable {
        /// The place in the answer.
        package let path: String
        package let purchase: InAppPurchase
    }

    package struct Element: Sendable, Hashable {
        package let path: String
        package let renewal: PendingRenewal
        /// Whether the subscription has several elements, so that this one is only about its product.
        package let isOneOfSeveral: Bool
    }

    /// Creates an answer; nil for JSON of another shape: an answer has an integer `status`, and is no notification.
    package init?(_ document: JSONView) {
        guard let status = document["status"]?.integer, document["notification_type"] == nil else { return nil }
        self.document = document
        self.status = status
        let receipt = document["receipt"]
        let fields = receipt.map(ReceiptFields.init)
        environmentName = document["environment"]?.string
        bundleId = fields?.text("bundle_id") ?? fields?.text("bid")
        latestReceipt = document["latest_receipt"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        requestDate = fields?.date("request_date")
        receiptCreationDate = fields?.date("receipt_creation_date")
        firstDownload = fields.flatMap { FirstDownload($0) }
        isRetryable = ["is_retryable", "is-retryable"].contains { ReceiptFields(document).flag($0) == true }

        var reading = ReceiptReading()
        for name in ["latest_receipt_info", "latest_expired_receipt_info"] as [StaticString] {
            reading.rows(document[name], "\(name)")
        }
        latestRowCount = reading.rowCount
        latest = reading.takeRows()
        isOfTransactionReceipt = receipt?["in_app"] == nil && fields?.text("transaction_id") != nil
        if let rows = receipt?["in_app"] {
            reading.rows(rows, "receipt/in_app")
        } else if isOfTransactionReceipt {
            reading.rows(receipt, "receipt")
        }
        inApp = reading.takeRows()
        let newest = (latest.isEmpty ? inApp : latest).newest
        renewals = reading.elements(
            [(document["pending_renewal_info"], "pending_renewal_info")], orThoseOf: document,
            about: newest?.originalTransactionId, newest?.productId)
        (unreadable, contradictions) = (reading.unreadable, reading.contradictions)
        malformedMember =
            reading.malformedMember ?? (receipt.map { $0.isNull || $0.isObject } ?? true ? nil : "receipt")
    }

    /// Nil without a name, and for one that Apple does not use.
    package var environment: Environment? { environmentName.flatMap { Environment(known: $0) } }

    /// Whether the status lets the purchases count. 21006 is that of an expired subscription in the older style.
    /// https://developer.apple.com/documentation/appstorereceipts/status
    package var statesPurchases: Bool { status == 0 || status == 21_006 }

    /// The newest purchase.
    package var newestRow: InAppPurchase? { (latest.isEmpty ? inApp : latest).newest }

    /// The instant of the newest purchase or cancellation: the time of an answer from a file that has no other.
    package var newestDate: Instant? {
        (latest + inApp).flatMap { [$0.purchase.purchaseDate, $0.purchase.cancellationDate] }.compactMap(\.self).max()
    }
}

extension [VerifyReceiptAnswer.Row] {
    var newest: InAppPurchase? { lazy.map(\.purchase).max { $0.purchaseDate < $1.purchaseDate } }

    /// Returns the newest purchase of a subscription; that of all when none is of it.
    func newest(of originalTransactionId: String?) -> InAppPurchase? {
        filter { $0.purchase.originalTransactionId == originalTransactionId }.newest ?? newest
    }
}

/// Collects rows and elements, and counts what cannot be read.
struct ReceiptReading {
    private var rows: [VerifyReceiptAnswer.Row] = []
    /// The number of rows so far, also of those that cannot be read.
    private(set) var rowCount = 0
    private(set) var unreadable = 0
    private(set) var contradictions = 0
    /// The first list whose value is none.
    private(set) var malformedMember: String?

    private static let dates = [
        "purchase_date", "original_purchase_date", "expires_date", "cancellation_date", "grace_period_expires_date",
    ]

    /// Reads a list of rows, or a single one.
    mutating func rows(_ value: JSONView?, _ path: String) {
        guard let value, !value.isNull else { return }
        guard let elements = value.elements else {
            if value.isObject { row(value, path) } else { malformedMember = malformedMember ?? path }
            return
        }
        for (index, element) in elements.enumerated() { row(element, "\(path)/\(index)") }
    }

    private mutating func row(_ value: JSONView, _ path: String) {
        rowCount += 1
        guard let purchase = InAppPurchase(value) else {
            unreadable += 1
            return
        }
        count(value)
        rows.append(VerifyReceiptAnswer.Row(path: path, purchase: purchase))
    }

    private mutating func count(_ value: JSONView) {
        let fields = ReceiptFields(value)
        contradictions += Self.dates.count { fields.isContradictory($0) }
    }

    /// Returns the rows read since the last call: one for each transactionId, at the place of the first.
    mutating func takeRows() -> [VerifyReceiptAnswer.Row] {
        defer { rows = [] }
        let paths = Dictionary(rows.map { ($0.purchase.transactionId, $0.path) }) { first, _ in first }
        return InAppPurchase.merging(rows.map(\.purchase)).map {
            VerifyReceiptAnswer.Row(path: paths[$0.transactionId] ?? "", purchase: $0)
        }
    }

    /// Returns the elements of the lists; what the members of an answer in the older style, or of a notification, state
    /// counts for a subscription without an element.
    mutating func elements(
        _ lists: [(value: JSONView?, path: String)], orThoseOf document: JSONView, about id: String?,
        _ productId: String?
    ) -> [VerifyReceiptAnswer.Element] {
        var found: [(path: String, renewal: PendingRenewal)] = []
        for list in lists {
            if let value = list.value, !value.isNull, value.elements == nil {
                malformedMember = malformedMember ?? list.path
            }
            for (index, element) in (list.value?.elements ?? []).enumerated() {
                if let renewal = PendingRenewal(element) {
                    count(element)
                    found.append(("\(list.path)/\(index)", renewal))
                } else {
                    unreadable += 1
                }
            }
        }
        if let id, !found.contains(where: { $0.renewal.originalTransactionId == id }),
            document["auto_renew_status"] != nil || document["expiration_intent"] != nil,
            var renewal = PendingRenewal(document, originalTransactionId: id)
        {
            // A notification may name another one than its rows.
            renewal.originalTransactionId = id
            renewal.productId = renewal.productId ?? productId
            found.append(("auto_renew_status", renewal))
        }
        return Self.decided(found)
    }

    /// Returns one element for each product of a subscription: the one without expiration_intent, then the last.
    private static func decided(
        _ found: [(path: String, renewal: PendingRenewal)]
    ) -> [VerifyReceiptAnswer.Element] {
        var kept: [(path: String, renewal: PendingRenewal)] = []
        var places: [String: [String?: Int]] = [:]
        for element in found {
            let renewal = element.renewal
            guard let index = places[renewal.originalTransactionId]?[renewal.productId] else {
                places[renewal.originalTransactionId, default: [:]][renewal.productId] = kept.count
                kept.append(element)
                continue
            }
            if kept[index].renewal.expirationIntent != nil || renewal.expirationIntent == nil {
                kept[index] = element
            }
        }
        return kept.map { element in
            VerifyReceiptAnswer.Element(
                path: element.path, renewal: element.renewal,
                isOneOfSeveral: places[element.renewal.originalTransactionId, default: [:]].count > 1)
        }
    }
}

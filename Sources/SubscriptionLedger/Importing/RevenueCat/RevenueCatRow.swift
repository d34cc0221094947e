import Primitives

/// A row of RevenueCat's scheduled data export, version 5: one transaction as that system knows it. Columns with which the
/// ledger has nothing to compare are not kept.
/// https://www.revenuecat.com/docs/integrations/scheduled-data-exports
struct RevenueCatRow: Hashable, Sendable {
    let customerId: String
    let productId: String
    let startTime: Instant
    let endTime: Instant?
    let isAutoRenewable: Bool
    let isTrial: Bool
    let isIntroOffer: Bool
    let isSandbox: Bool
    let transactionId: String
    let originalTransactionId: String
    let refundedAt: Instant?
    let currency: String?
    /// In milliunits, before refunds.
    let price: Int64?
    let ownership: String?
    let renewalNumber: Int64?
    /// The time at which the row had this content. Rows change between deliveries.
    let updatedAt: Instant?

    var environment: String { isSandbox ? "Sandbox" : "Production" }
}

/// The columns of an export, by the names in its first record.
struct RevenueCatColumns: Sendable {
    private let indexes: [String: Int]

    /// The longest text of a column that an event keeps. Ids of Apple's are shorter.
    private static let byteLimit = 256

    private static let required = [
        "rc_original_app_user_id", "product_identifier", "start_time", "end_time", "store", "is_auto_renewable",
        "is_trial_period", "is_in_intro_offer_period", "is_sandbox", "store_transaction_id",
        "original_store_transaction_id", "refunded_at", "purchased_currency", "purchase_price_in_purchased_currency",
        "ownership_type", "renewal_number", "updated_at",
    ]

    /// - Throws: `posting_malformed` when a column is missing.
    init(_ header: [String]) throws(CustomerError) {
        indexes = Dictionary(zip(header, header.indices)) { first, _ in first }
        let missing = Self.required.filter { indexes[$0] == nil }
        guard missing.isEmpty else {
            throw .malformed(
                "the first line", expected: "the columns of RevenueCat's export, version 5",
                found: "no \(missing.joined(separator: ", "))")
        }
    }

    /// Returns a row; nil for one of another store.
    /// - Throws: `ImportVerdict.malformed`, whose code is the column.
    func row(_ fields: [String]) throws(ImportVerdict) -> RevenueCatRow? {
        guard fields.count >= indexes.count else { throw .malformed("columns") }
        guard text("store", fields) == "app_store" else { return nil }
        return RevenueCatRow(
            customerId: try required("rc_original_app_user_id", fields),
            productId: try Self.bounded("product_identifier", try required("product_identifier", fields)),
            startTime: try instant("start_time", try required("start_time", fields)),
            endTime: try text("end_time", fields).map { text throws(ImportVerdict) in try instant("end_time", text) },
            isAutoRenewable: try flag("is_auto_renewable", fields), isTrial: try flag("is_trial_period", fields),
            isIntroOffer: try flag("is_in_intro_offer_period", fields), isSandbox: try flag("is_sandbox", fields),
            transactionId: try Self.bounded("store_transaction_id", try required("store_transaction_id", fields)),
            originalTransactionId: try Self.bounded(
                "original_store_transaction_id", try required("original_store_transaction_id", fields)),
            refundedAt: try text("refunded_at", fields).map { text throws(ImportVerdict) in
                try instant("refunded_at", text)
            },
            currency: try boundedText("purchased_currency", fields), price: try price(fields),
            ownership: try boundedText("ownership_type", fields),
            renewalNumber: text("renewal_number", fields).flatMap { Int64($0) },
            updatedAt: try text("updated_at", fields).map { text throws(ImportVerdict) in
                try instant("updated_at", text)
            })
    }

    /// Returns the value of a column; nil for an empty one.
    private func text(_ column: String, _ fields: [String]) -> String? {
        indexes[column].flatMap { fields[$0].isEmpty ? nil : fields[$0] }
    }

    private func required(_ column: String, _ fields: [String]) throws(ImportVerdict) -> String {
        guard let text = text(column, fields) else { throw .malformed(column) }
        return text
    }

    /// Returns the value of a column that an event keeps; nil for an empty one.
    private func boundedText(_ column: String, _ fields: [String]) throws(ImportVerdict) -> String? {
        guard let text = text(column, fields) else { return nil }
        return try Self.bounded(column, text)
    }

    private static func bounded(_ column: String, _ text: String) throws(ImportVerdict) -> String {
        guard text.utf8.count <= byteLimit else { throw .malformed(column) }
        return text
    }

    /// `true` and `false` since version 4, `t` and `f` before.
    private func flag(_ column: String, _ fields: [String]) throws(ImportVerdict) -> Bool {
        switch try required(column, fields) {
        case "true", "t": true
        case "false", "f": false
        default: throw .malformed(column)
        }
    }

    /// Times are UTC: `2024-05-01 12:34:56`, with or without `T`, a fraction and a zone.
    private func instant(_ column: String, _ text: String) throws(ImportVerdict) -> Instant {
        var time = text.replacing(" UTC", with: "Z")
        if !time.hasSuffix("Z"), !time.dropFirst(11).contains(where: { $0 == "+" || $0 == "-" }) { time += "Z" }
        guard let instant = Instant(iso8601: time) else { throw .malformed(column) }
        return instant
    }

    private func price(_ fields: [String]) throws(ImportVerdict) -> Int64? {
        let column = "purchase_price_in_purchased_currency"
        guard let text = text(column, fields) else { return nil }
        guard let number = Double(text), number.magnitude < 1e15 else { throw .malformed(column) }
        return Int64((number * 1_000).rounded())
    }
}

package import Primitives

extension InAppPurchase {
    /// Reads a row of an answer of verifyReceipt, or of a notification of version 1; nil without its ids, product or
    /// date, and with an end or a cancellation that cannot be read.
    /// https://developer.apple.com/documentation/appstorereceipts/responsebody/latest_receipt_info
    package init?(_ row: JSONView) {
        let fields = ReceiptFields(row)
        guard let id = fields.text("transaction_id"), let productId = fields.text("product_id"),
            let purchaseDate = fields.date("purchase_date"), !fields.isUnreadableDate("expires_date"),
            !fields.isUnreadableDate("cancellation_date")
        else { return nil }
        self.init(
            transactionId: id, originalTransactionId: fields.text("original_transaction_id") ?? id,
            productId: productId, purchaseDate: purchaseDate)
        originalPurchaseDate = fields.date("original_purchase_date")
        expiresDate = fields.date("expires_date")
        quantity = fields.integer("quantity")
        webOrderLineItemId = fields.text("web_order_line_item_id").flatMap { $0 == "0" ? nil : $0 }
        type = expiresDate == nil ? nil : .autoRenewable
        cancellationDate = fields.date("cancellation_date")
        cancellationReason = fields.integer("cancellation_reason").map(RevocationReason.init(rawValue:))
        offer = Offer(
            promotionalOfferId: fields.text("promotional_offer_id"),
            offerCodeRefName: fields.text("offer_code_ref_name"),
            isTrialPeriod: fields.flag("is_trial_period") ?? false,
            isInIntroOfferPeriod: fields.flag("is_in_intro_offer_period") ?? false)
        inAppOwnershipType = fields.text("in_app_ownership_type")
        isUpgraded = fields.flag("is_upgraded") ?? false
        subscriptionGroupIdentifier = fields.text("subscription_group_identifier")
        appAccountToken = fields.text("app_account_token")
    }
}

/// The members of one object of an answer or notification, in Apple's old notation: numbers, flags and dates are mostly
/// texts, and an absent value may be an empty text.
struct ReceiptFields {
    private let members: [String: JSONView]

    init(_ object: JSONView) {
        members = Dictionary(object.members.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// A text or a number; nil when it is empty.
    func text(_ name: String) -> String? {
        guard let value = members[name], let text = value.string ?? value.numberText, !text.isEmpty else { return nil }
        return text
    }

    func integer(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }

    /// A flag, which Apple writes as "true", "1", 1 or true.
    func flag(_ name: String) -> Bool? {
        if let bool = members[name]?.bool { return bool }
        switch text(name) {
        case "true", "1": return true
        case "false", "0": return false
        default: return nil
        }
    }

    /// A date: its milliseconds; else digits, which are milliseconds; else the formatted one.
    func date(_ name: String) -> Instant? {
        let digits = text("\(name)_ms") ?? text(name)
        if let milliseconds = digits.flatMap({ Int64($0) }) {
            let instant = Instant(milliseconds: milliseconds)
            return instant >= .earliest && instant <= .latest ? instant : nil
        }
        return text(name).flatMap(Self.formattedDate)
    }

    /// Whether a date is stated that cannot be read.
    func isUnreadableDate(_ name: String) -> Bool {
        let isStated = ["\(name)_ms", name].contains { members[$0].map { !$0.isNull && $0.string != "" } ?? false }
        return isStated && date(name) == nil
    }

    /// Whether the formatted date contradicts the milliseconds by more than a second. The latter count.
    func isContradictory(_ name: String) -> Bool {
        // `date` accepts only instants whose difference cannot overflow.
        guard integer("\(name)_ms") != nil, let exact = date(name),
            let formatted = text(name).flatMap(Self.formattedDate)
        else { return false }
        return abs(exact.milliseconds - formatted.milliseconds) > 1_000
    }

    /// Reads `YYYY-MM-DD HH:MM:SS Etc/GMT`, or RFC 3339.
    private static func formattedDate(_ text: String) -> Instant? {
        for zone in [" Etc/GMT", " GMT", " UTC"] where text.hasSuffix(zone) {
            return Instant(iso8601: text.dropLast(zone.count) + "Z")
        }
        return Instant(iso8601: text)
    }
}

import AppStoreModel
import LedgerModel
import PaidService
import Primitives
import SubscriptionStatus
import TableFiles

extension StateTable {
    /// The purchases of all products, and the periods that renewal infos imply.
    static let periods = StateTable(
        .ofSubscriptions(
            "periods", version: 1, keyCount: 5,
            [
                .text("product_id"), .text("period_id"), TableColumn("unit_id", .hex), .text("type"),
                .nullable("subscription_group"), .nullable("transaction_id"), .text("ownership"),
                TableColumn("renewal_number", .int32), .instant("started_at"), .nullable("ended_at", .instant),
                .nullable("service_until", .instant), .nullable("grace_expires_at", .instant),
                .nullable("replaced_at", .instant), .nullable("revoked_at", .instant),
                .nullable("reversed_at", .instant), .nullable("revocation_reason", .int32), .text("payment"),
                .nullable("price", .money), .nullable("currency"), .nullable("storefront"), .text("offer_type"),
                .nullable("offer_id"), .nullable("offer_discount_type"), .nullable("offer_period"),
                .nullable("duration"), TableColumn("anchor", .boolean), TableColumn("failed", .boolean),
                .nullable("bridged_until", .instant), TableColumn("converts_trial", .boolean),
                TableColumn("implied", .boolean), TableColumn("inferred", .json), .nullable("proceeds_rate", .int32),
                .nullable("gross", .money), .nullable("net", .money), .nullable("reporting_gross", .money),
                .nullable("reporting_net", .money), .nullable("customer_handle"), TableColumn("entitlements", .json),
                .nullable("revoked_recorded_at", .instant), .nullable("renew_off_recorded_at", .instant),
                .nullable("failure_recorded_at", .instant), .nullable("last_recorded_at", .instant),
            ]),
        .units { unit, rows in
            for period in unit.periods() {
                try rows.add { row in
                    row.appendIdentity(of: period)
                    row.appendTimes(of: period)
                    row.appendTerms(of: period)
                    row.appendStanding(of: period)
                    row.appendMoney(of: period)
                    row.append(text: unit.customers(of: period.key).first?.hex)
                    row.append(texts: period.product?.entitlements.map(\.text) ?? [])
                    row.appendRecordedTimes(of: period)
                    row.append(evidence: period.evidence)
                }
            }
        })
}

extension TableRow {
    fileprivate mutating func appendIdentity(of row: ExportedPeriod) {
        let period = row.period
        append(key: row.key)
        append(text: period.productId?.text ?? TableWord.unknown)
        append(text: period.id(in: row.key))
        append(hex: UnitID.bytes("unit", row.unitKey, group: row.group?.text ?? TableWord.unknown))
        append(text: CatalogProduct.Kind.allCases.first { $0.type == period.type }?.rawValue ?? TableWord.unknown)
        append(text: row.group)
        append(text: period.transactionId)
        append(text: period.inAppOwnershipType?.rawValue ?? (period.isKnown ? "PURCHASED" : TableWord.unknown))
        append(integer: Int64(row.number))
    }

    fileprivate mutating func appendTimes(of row: ExportedPeriod) {
        append(instant: row.period.start)
        append(instant: row.end)
        append(instant: row.serviceUntil)
        append(instant: row.purchase?.purchase.failure?.graceUntil)
        append(instant: row.replacedAt)
        append(instant: row.revocation?.start)
        append(instant: row.reversedAt)
        append(integer: row.revocation?.statement?.revocationReason?.rawValue)
    }

    fileprivate mutating func appendTerms(of row: ExportedPeriod) {
        let (period, offer) = (row.period, row.period.offer)
        append(text: row.payment.rawValue)
        append(milliunits: period.price?.price)
        append(text: period.price?.currency)
        append(text: period.storefront)
        append(text: offer.map { $0.offerType?.name ?? TableWord.unknown } ?? TableWord.none)
        append(text: offer?.offerIdentifier)
        append(text: offer?.offerDiscountType?.name)
        append(text: offer?.offerPeriod?.text)
        append(text: row.duration?.description)
    }

    fileprivate mutating func appendStanding(of row: ExportedPeriod) {
        append(boolean: row.purchase?.isAnchor ?? false)
        append(boolean: row.purchase?.purchase.failure != nil)
        append(instant: row.purchase?.bridgedUntil)
        append(boolean: row.purchase?.convertsTrial ?? false)
        append(boolean: !row.period.isKnown)
        append(texts: row.period.inAppOwnershipType == nil ? ["ownership"] : [])
    }

    fileprivate mutating func appendMoney(of row: ExportedPeriod) {
        append(integer: row.purchase?.proceedsRate.map(Int64.init))
        append(milliunits: row.gross)
        append(milliunits: row.net)
        append(milliunits: row.reportedGross)
        append(milliunits: row.reportedNet)
    }

    fileprivate mutating func appendRecordedTimes(of row: ExportedPeriod) {
        append(instant: row.revocation?.source.recordedAt)
        append(instant: row.renewOffRecordedAt)
        append(instant: row.failureRecordedAt)
        append(instant: row.lastRecordedAt)
    }
}

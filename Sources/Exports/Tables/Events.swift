import LedgerAPI
import StateTables
import SubscriptionLedger
import TableFiles

extension ExportTable {
    /// Every event of the log, without gaps.
    static let events = ExportTable(
        TableSchema(
            name: "events", version: 1, keyCount: 1,
            columns: [
                TableColumn("position", .int64), TableColumn("kind", .int32), .text("source"), .nullable("environment"),
                .nullable("bundle_id"), .text("artifact"), .text("trust"), TableColumn("flags", .int32),
                .instant("recorded_at"), .nullable("evidence_sha256", .hex), .nullable("verified_at", .instant),
                .nullable("leaf_certificate_sha256", .hex), .nullable("root_certificate_sha256", .hex),
                TableColumn("leaf_hash", .hex), .nullable("notification_type"), .nullable("subtype"),
                .nullable("notification_uuid"), .nullable("original_transaction_id"), .nullable("transaction_id"),
                .nullable("product_id"), .nullable("body", .json),
            ]),
        .events { event, row in
            let (record, about) = (event.row, event.row.about)
            row.append(integer: Int64(clamping: record.position))
            row.append(integer: Int64(event.kind))
            row.append(text: record.source)
            row.append(text: record.environment)
            row.append(text: event.bundleId)
            row.append(text: record.evidence.artifact)
            row.append(text: record.trust)
            row.append(integer: Int64(event.flags))
            row.append(instant: record.recordedAt)
            row.append(hexText: record.evidence.sha256)
            row.append(instant: record.verification.at)
            row.append(hexText: record.verification.leaf)
            row.append(hexText: record.verification.root)
            row.append(hex: event.leafHash)
            row.append(text: about?.notificationType)
            row.append(text: about?.subtype)
            row.append(text: event.notificationUUID)
            row.append(text: about?.originalTransactionId)
            row.append(text: about?.transactionId)
            row.append(text: about?.productId)
            row.append(json: nil)
        })
}

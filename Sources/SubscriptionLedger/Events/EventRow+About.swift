import AppStoreModel
import AppStoreVerification
import EventLog
import Ingestion
import LedgerAPI
import LedgerModel
import Primitives

extension EventRow.About {
    /// Creates the summary of an event; nil when the event concerns neither a notification nor a purchase.
    /// - Throws: `log_corrupt` when the evidence of a known artifact cannot be read.
    init?(_ record: Record, evidence: [UInt8]?) throws {
        if let evidence, let stored = try AnswerEvents.stored(record, evidence) {
            guard let about = stored.parts.lazy.compactMap({ $0 }).compactMap(Self.init).first else { return nil }
            self = about
        } else if let evidence, let stored = try VerifyReceiptEvents.stored(record, evidence) {
            guard let newest = stored.answer.newestRow else { return nil }
            self.init(newest)
        } else if let evidence, let stored = try NotificationV1Events.stored(record, evidence) {
            let (notification, newest) = (stored.notification, stored.notification.newestRow)
            self.init(
                notificationType: "V1/" + notification.notificationType,
                originalTransactionId: notification.originalTransactionId?.stated,
                transactionId: newest?.transactionId.stated, productId: newest?.productId.stated)
        } else if let evidence, let artifact = try EventDecoder.artifact(of: record, evidence) {
            self.init(artifact)
        } else if let id = Self.originalTransactionId(in: record.body) {
            self.init(originalTransactionId: id)
        } else {
            return nil
        }
    }

    private init?(_ artifact: StoredArtifact) {
        switch artifact {
        case .notification(let notification): self.init(notification)
        case .transaction(let stored):
            let claims = stored.payload.payload
            self.init(
                originalTransactionId: claims.originalTransactionId?.stated,
                transactionId: claims.transactionId?.stated, productId: claims.productId?.stated)
        case .renewalInfo(let stored):
            let claims = stored.payload.payload
            self.init(
                originalTransactionId: claims.originalTransactionId?.stated, productId: claims.productId?.stated)
        case .receipt(let stored):
            guard let newest = stored.receipt.payload.purchases.rows.max(by: { $0.purchaseDate < $1.purchaseDate })
            else { return nil }
            self.init(newest)
        case .appTransaction: return nil
        }
    }

    private init(_ newest: InAppPurchase) {
        self.init(
            originalTransactionId: newest.originalTransactionId, transactionId: newest.transactionId,
            productId: newest.productId)
    }

    /// Creates the summary of a notification. The purchase comes from the transaction, else from the renewal info. The
    /// summary of an extension names only a product.
    private init(_ notification: StoredNotification) {
        let claims = notification.outer.payload.payload
        let transaction = notification.transaction?.payload.payload
        let renewalInfo = notification.renewalInfo?.payload.payload
        self.init(
            notificationType: claims.notificationType?.rawValue.stated, subtype: claims.subtype?.rawValue.stated,
            originalTransactionId: transaction?.originalTransactionId?.stated
                ?? renewalInfo?.originalTransactionId?.stated,
            transactionId: transaction?.transactionId?.stated,
            productId: transaction?.productId?.stated ?? renewalInfo?.productId?.stated
                ?? claims.summary?.productId?.stated,
            deadline: claims.deadline)
    }

    /// Returns the originalTransactionId in the body of one of the ledger's own events.
    private static func originalTransactionId(in body: [UInt8]) -> String? {
        try? JSONDocument(parsing: body).root["originalTransactionId"]?.string?.stated
    }
}

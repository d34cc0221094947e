import AppStoreModel
import AppStoreVerification
import EventLog
import Ingestion
import LedgerAPI
import LedgerModel
import Primitives

extension EventRow.About {
    /// Creates the summary of an event; nil when the event concerns neither a notification nor a purchase.
    init?(_ content: EventContent) {
        switch content {
        case .artifact(let artifact): self.init(artifact)
        case .answer(let stored):
            guard let about = stored.parts.lazy.compactMap({ $0 }).compactMap(Self.init).first else { return nil }
            self = about
        case .verifyReceiptAnswer(let stored):
            guard let newest = stored.answer.newestRow else { return nil }
            self.init(newest)
        case .notificationV1(let stored):
            let (notification, newest) = (stored.notification, stored.notification.newestRow)
            self.init(
                notificationType: "V1/" + notification.notificationType,
                originalTransactionId: notification.originalTransactionId?.stated,
                transactionId: newest?.transactionId.stated, productId: newest?.productId.stated)
        case .erased(let line): self.init(line)
        case .body(let body):
            guard let id = body?["originalTransactionId"]?.string?.stated else { return nil }
            self.init(originalTransactionId: id)
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

    /// Creates the summary of an event whose evidence was erased, without a deadline: nobody answers it any more.
    private init?(_ line: ResidueLine) {
        let notification = line.notification
        let transactions = line.facts.compactMap { keyed -> TransactionFact? in
            if case .transaction(let fact) = keyed.observation.fact { fact } else { nil }
        }
        let newest = transactions.max { $0.purchaseDate ?? .earliest < $1.purchaseDate ?? .earliest }
        let renewal = line.facts.lazy.compactMap { keyed -> RenewalFact? in
            if case .renewal(let fact) = keyed.observation.fact { fact } else { nil }
        }.first
        let key = line.facts.lazy.compactMap { keyed -> SubscriptionKey? in
            if case .subscription(let key) = keyed.key { key } else { nil }
        }.first
        guard key != nil || notification != nil else { return nil }
        self.init(
            notificationType: notification?.notificationType?.rawValue, subtype: notification?.subtype?.rawValue,
            originalTransactionId: key?.originalTransactionId, transactionId: newest?.transactionId.text,
            productId: (newest?.productId ?? renewal?.productId)?.text)
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
}

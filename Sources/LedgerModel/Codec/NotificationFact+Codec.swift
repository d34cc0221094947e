import AppStoreModel
import Primitives

extension NotificationFact {
    func encode(to writer: inout FactWriter) {
        writer.field(1, notificationType)
        writer.field(2, subtype)
        writer.field(3, notificationUUID?.bytes)
        writer.field(4, status)
        writer.field(5, signedTransactionInfo)
        writer.field(6, signedRenewalInfo)
        writer.field(7, signedAppTransactionInfo)
        writer.field(8, consumptionRequestReason)
    }

    init(from reader: inout FactReader) throws(FactCodecError) {
        self.init()
        notificationType = try reader.vocabulary(1)
        subtype = try reader.vocabulary(2)
        notificationUUID = try reader.uuid(3).map(NotificationUUID.init(bytes:))
        status = try reader.vocabulary(4)
        signedTransactionInfo = try reader.digest(5)
        signedRenewalInfo = try reader.digest(6)
        signedAppTransactionInfo = try reader.digest(7)
        consumptionRequestReason = try reader.vocabulary(8)
    }
}

import AppStoreModel
import AppStoreSimulation
import FoundationEssentials
import Primitives
import Testing

/// The value of `SUBLEDGER_SEED` in decimal; 1 by default.
func testSeed() -> UInt64 {
    ProcessInfo.processInfo.environment["SUBLEDGER_SEED"].flatMap(UInt64.init) ?? 1
}

/// An artifact after signing and decoding.
struct Reading: Sendable {
    let artifact: StoreArtifact
    var notification: Notification?
    var transaction: Transaction?
    var renewalInfo: RenewalInfo?
    var appTransaction: AppTransaction?

    init(_ artifact: StoreArtifact, signer: JWSSigner) throws {
        self.artifact = artifact
        let signed = signer.sign(artifact)
        switch artifact.kind {
        case .notification:
            let notification = try signed.jws.verified(Notification.init).payload
            self.notification = notification
            #expect(notification.data?.signedTransactionInfo == signed.transaction?.compact)
            #expect(notification.data?.signedRenewalInfo == signed.renewalInfo?.compact)
            transaction = try signed.transaction?.verified(Transaction.init).payload
            renewalInfo = try signed.renewalInfo?.verified(RenewalInfo.init).payload
        case .transaction:
            transaction = try signed.jws.verified(Transaction.init).payload
        case .renewalInfo:
            renewalInfo = try signed.jws.verified(RenewalInfo.init).payload
        case .appTransaction:
            appTransaction = try signed.jws.verified(AppTransaction.init).payload
        }
    }

    static func all(of history: StoreHistory) throws -> [Reading] {
        let signer = JWSSigner()
        return try history.artifacts.map { try Reading($0, signer: signer) }
    }

    /// TYPE/SUBTYPE and the status, as listed in a scenario; nil for other artifacts than notifications.
    var line: String? {
        guard let notification, let type = notification.notificationType else { return nil }
        let subtype = notification.subtype.map { "/\($0)" } ?? ""
        let status = notification.data?.status.map { " \($0)" } ?? ""
        return "\(type)\(subtype)\(status)"
    }
}

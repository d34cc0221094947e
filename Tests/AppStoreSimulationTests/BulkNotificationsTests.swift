import AppStoreModel
import AppStoreSimulation
import Primitives
import SwiftASN1
import Testing
import X509

@Suite("Bulk notifications")
struct BulkNotificationsTests {
    @Test func `each is valid and shares no id with another`() throws {
        let leaf = try Certificate(derEncoded: SigningAuthority.standard.leafCertificate)
        var uuids: Set<String> = []
        var transactionIds: Set<String> = []
        var originalTransactionIds: [String: Int] = [:]
        for signed in BulkNotifications(count: 200) {
            let notification = try signed.jws.verified(Notification.init).payload
            let transaction = try #require(signed.transaction).verified(Transaction.init).payload
            let renewalInfo = try #require(signed.renewalInfo).verified(RenewalInfo.init).payload
            for jws in [signed.jws, signed.transaction, signed.renewalInfo].compactMap({ $0 }) {
                #expect(SigningAuthorityTests.verifies(jws, under: leaf))
            }
            #expect(notification.data?.signedTransactionInfo == signed.transaction?.compact)
            #expect(transaction.originalTransactionId == renewalInfo.originalTransactionId)
            #expect(transaction.expiresDate == renewalInfo.renewalDate)
            uuids.insert(try #require(notification.notificationUUID))
            transactionIds.insert(try #require(transaction.transactionId))
            originalTransactionIds[try #require(transaction.originalTransactionId), default: 0] += 1
        }
        #expect(uuids.count == 200 && transactionIds.count == 200)
        #expect(originalTransactionIds.count == 20)
        #expect(originalTransactionIds.values.allSatisfy { $0 == BulkNotifications.notificationsPerSubscription })
    }

    @Test func `each can be made anew, far ahead and long past`() throws {
        let many = BulkNotifications(count: 100_000_000)
        #expect(many[99_999_999].jws.compact == many[99_999_999].jws.compact)
        for position in [0, 12_345_678, 99_999_999] {
            let signedDate = many[position].unsigned.signedDate
            #expect(signedDate > SigningPlan.lastingValidity.lowerBound)
            #expect(signedDate < Instant(milliseconds: 1_750_000_000_000))
        }
    }
}

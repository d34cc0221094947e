import AppStoreModel
import AppStoreSimulation
import LedgerModel
import Primitives

/// A signed transaction of the test's app, with the fields that determine its owner.
struct Purchase: Hashable {
    static let bundleId = "com.example.app"
    private static let signer = JWSSigner(.standard)

    /// The originalTransactionId.
    var id: String
    /// The number among the transactions of one purchase; later ones are signed later.
    var number = 1
    /// The number among the copies of one transaction; later ones are signed later.
    var copy = 1
    var token: String?
    var isFamilyShared = false
    var environment = Environment.production
    var bundleId = Purchase.bundleId
    var productId = "pro"
    var type = "Auto-Renewable Subscription"
    /// The subscriptionGroupIdentifier.
    var group: String?
    /// Apple's number of the offer's type.
    var offerType: Int64?
    /// The appTransactionId.
    var account: String?
    /// Milliseconds since 1970.
    var revokedAt: Int64?

    init(
        _ id: String, number: Int = 1, copy: Int = 1, token: String? = nil, isFamilyShared: Bool = false,
        environment: Environment = .production, bundleId: String = Purchase.bundleId, account: String? = nil
    ) {
        self.id = id
        self.number = number
        self.copy = copy
        self.token = token
        self.isFamilyShared = isFamilyShared
        self.environment = environment
        self.bundleId = bundleId
        self.account = account
    }

    var transactionId: String { "\(id)\(number)" }
    var key: SubscriptionKey {
        SubscriptionKey(environment: environment, bundleId: bundleId, originalTransactionId: id)
    }

    /// The token if it identifies the owner; a family member's copy carries the purchaser's.
    var ownToken: String? { isFamilyShared ? nil : token }

    /// The purchaseDate. Purchases are an hour apart, from noon on the day before `TestLedger.now`.
    var start: Int64 { TestLedger.now.milliseconds - 86_400_000 + Int64(number - 1) * 3_600_000 }
    /// The signedDate. The second copy of a transaction is signed before the next transaction, the third after it.
    var signedAt: Int64 { start + 1_000 + Int64(copy - 1) * 3_000_000 }

    var text: String {
        var fields: [JSONValue.Member] = [
            .init("transactionId", .string(transactionId)),
            .init("originalTransactionId", .string(id)),
            .init("bundleId", .string(bundleId)),
            .init("productId", .string(productId)),
            .init("purchaseDate", .integer(start)),
            .init("type", .string(type)),
            .init("inAppOwnershipType", .string(isFamilyShared ? "FAMILY_SHARED" : "PURCHASED")),
            .init("signedDate", .integer(signedAt)),
            .init("environment", .string(environment.rawValue)),
        ]
        if type == "Auto-Renewable Subscription" {
            fields.append(.init("expiresDate", .integer(TestLedger.now.milliseconds + 86_400_000)))
        }
        if let token { fields.append(.init("appAccountToken", .string(token))) }
        if let account { fields.append(.init("appTransactionId", .string(account))) }
        if let group { fields.append(.init("subscriptionGroupIdentifier", .string(group))) }
        if let offerType { fields.append(.init("offerType", .integer(offerType))) }
        if let revokedAt { fields.append(.init("revocationDate", .integer(revokedAt))) }
        return Self.signer.sign(.object(fields)).text
    }

    /// The signed app transaction of a download.
    /// - Parameters:
    ///   - bought: the day of the originalPurchaseDate.
    ///   - version: the originalApplicationVersion.
    static func appTransaction(
        account: String = "704", bought: String? = nil, version: String? = nil,
        environment: Environment = .production
    ) -> String {
        var fields: [JSONValue.Member] = [
            .init("receiptType", .string(environment.rawValue)), .init("bundleId", .string(bundleId)),
            .init("receiptCreationDate", .integer(TestLedger.now.milliseconds - 1_000)),
            .init("appTransactionId", .string(account)),
        ]
        if let date = bought.flatMap({ Instant(iso8601: $0) }) {
            fields.append(.init("originalPurchaseDate", .integer(date.milliseconds)))
        }
        if let version { fields.append(.init("originalApplicationVersion", .string(version))) }
        return signer.sign(.object(fields)).text
    }
}

/// A UUID that is easy to recognise.
func token(_ letter: Character) -> String {
    let digits = String(repeating: letter, count: 12)
    return "\(digits.prefix(8))-\(digits.prefix(4))-4\(digits.prefix(3))-8\(digits.prefix(3))-\(digits)"
}

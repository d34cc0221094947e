import AppStoreModel
import AppStoreSimulation
import LedgerModel
import Primitives

/// A signed transaction of the test's app, in the few things that matter to whose it is.
struct Purchase: Hashable {
    static let bundleId = "com.example.app"
    private static let signer = JWSSigner(.standard)

    /// The originalTransactionId.
    var id: String
    /// Of the transactions of one purchase; later ones are signed later.
    var number = 1
    var token: String?
    var isFamilyShared = false
    var environment = Environment.sandbox
    var bundleId = Purchase.bundleId
    var type = "Auto-Renewable Subscription"

    init(
        _ id: String, number: Int = 1, token: String? = nil, isFamilyShared: Bool = false,
        environment: Environment = .sandbox, bundleId: String = Purchase.bundleId
    ) {
        self.id = id
        self.number = number
        self.token = token
        self.isFamilyShared = isFamilyShared
        self.environment = environment
        self.bundleId = bundleId
    }

    var transactionId: String { "\(id)\(number)" }
    var key: SubscriptionKey {
        SubscriptionKey(environment: environment, bundleId: bundleId, originalTransactionId: id)
    }

    /// An hour each, from noon on the day before the ledger's.
    var start: Int64 { TestLedger.now.milliseconds - 86_400_000 + Int64(number - 1) * 3_600_000 }

    var text: String {
        var fields: [JSONValue.Member] = [
            .init("transactionId", .string(transactionId)),
            .init("originalTransactionId", .string(id)),
            .init("bundleId", .string(bundleId)),
            .init("productId", .string("pro")),
            .init("purchaseDate", .integer(start)),
            .init("expiresDate", .integer(TestLedger.now.milliseconds + 86_400_000)),
            .init("type", .string(type)),
            .init("inAppOwnershipType", .string(isFamilyShared ? "FAMILY_SHARED" : "PURCHASED")),
            .init("signedDate", .integer(start + 1_000)),
            .init("environment", .string(environment.rawValue)),
        ]
        if let token { fields.append(.init("appAccountToken", .string(token))) }
        return Self.signer.sign(.object(fields)).text
    }

    /// The app's own download.
    static func appTransaction() -> String {
        signer.sign(
            .object([
                "receiptType": .string("Sandbox"), "bundleId": .string(bundleId),
                "receiptCreationDate": .integer(TestLedger.now.milliseconds - 1_000),
                "appTransactionId": .string("704"),
            ])
        ).text
    }
}

/// UUIDs that are easy to tell apart.
func token(_ letter: Character) -> String {
    let digits = String(repeating: letter, count: 12)
    return "\(digits.prefix(8))-\(digits.prefix(4))-4\(digits.prefix(3))-8\(digits.prefix(3))-\(digits)"
}

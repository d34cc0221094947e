import AppStoreModel
import Primitives
import Testing

@Suite("AppTransaction")
struct AppTransactionTests {
    static let table = FieldTable<AppTransaction>(
        fields: [
            Field("receiptType", #""Sandbox""#, \.receiptType, .sandbox),
            Field("appAppleId", "1470168868", \.appAppleId, 1_470_168_868),
            Field("bundleId", #""com.example.app""#, \.bundleId, "com.example.app"),
            Field("applicationVersion", #""2.5""#, \.applicationVersion, "2.5"),
            Field("versionExternalIdentifier", "867000001", \.versionExternalIdentifier, 867_000_001),
            Field("receiptCreationDate", "1759295318001", \.receiptCreationDate, .at(1_759_295_318_001)),
            Field("originalPurchaseDate", "1759295318002", \.originalPurchaseDate, .at(1_759_295_318_002)),
            Field("originalApplicationVersion", #""1.0""#, \.originalApplicationVersion, "1.0"),
            Field("originalPlatform", #""visionOS""#, \.originalPlatform, .visionOS),
            Field("preorderDate", "1759295318003", \.preorderDate, .at(1_759_295_318_003)),
            Field("appTransactionId", #""704897469903383919""#, \.appTransactionId, "704897469903383919"),
            Field("requestDate", "1759295318004", \.requestDate, .at(1_759_295_318_004)),
            Field(
                "deviceVerification", #""cYUsXc53EbYc0pOeXG5d6/31""#, \.deviceVerification,
                "cYUsXc53EbYc0pOeXG5d6/31"),
            Field(
                "deviceVerificationNonce", #""48c8b92d-ce0d-4229-bedf-e61b4f9cfc92""#, \.deviceVerificationNonce,
                "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92"),
        ],
        decode: { try AppTransaction($0, mistyped: $1) })

    @Test func `every field is read, and each may be missing`() throws {
        try Self.table.check()
    }
}

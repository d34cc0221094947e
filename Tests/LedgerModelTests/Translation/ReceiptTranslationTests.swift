@_spi(Verification) import AppStoreModel
import LedgerModel
import Primitives
import Testing

struct `A receipt as observations` {
    private func purchase(_ id: String, of original: String) -> [ReceiptAttribute] {
        let attributes: [(ReceiptAttributeType, String)] = [
            (.transactionId, id), (.originalTransactionId, original), (.productId, "pro"),
            (.purchaseDate, "2026-01-15T10:00:00Z"), (.expiresDate, "2026-02-15T10:00:00Z"),
        ]
        return attributes.map { ReceiptAttribute(type: $0.0, version: 1, value: .text($0.1)) }
    }

    private func observations(
        _ type: String, _ inApp: [[ReceiptAttribute]], _ others: [(ReceiptAttributeType, String)] = []
    ) -> [KeyedObservation] {
        let attributes: [(ReceiptAttributeType, String)] =
            [(.receiptType, type), (.bundleId, "app"), (.receiptCreationDate, "2026-01-20T00:00:00Z")] + others
        let receipt = AppReceipt(
            attributes: attributes.map { ReceiptAttribute(type: $0.0, version: 1, value: .text($0.1)) }, inApp: inApp,
            bundleIdOctets: [])
        return translation.receipt(SignedPayload(Verified(payload: receipt), digest: .zero))
    }

    @Test func `each purchase is observed at the creation, below its own key and by its place`() throws {
        let found = observations(
            "Production", [purchase("3", of: "3"), purchase("2", of: "1"), purchase("1", of: "1")])
        let keys = try found.map { keyed in
            guard case .subscription(let key) = keyed.key else { throw TestError.noSubscription }
            return key.originalTransactionId
        }
        #expect(keys == ["1", "1", "3"])
        #expect(found.map(\.observation.source.name.path.text) == ["in_app/1", "in_app/2", "in_app/0"])
        #expect(found.allSatisfy { $0.observation.source.time == Instant(iso8601: "2026-01-20T00:00:00Z") })
        #expect(found.allSatisfy { $0.observation.source.rank == .receiptFile })
    }

    @Test func `the keys of a Production receipt name each other, those of the sandbox do not`() {
        func companions(_ type: String, _ inApp: [[ReceiptAttribute]]) -> [String?] {
            observations(type, inApp).map { keyed in
                guard case .transaction(let fact) = keyed.observation.fact else { return nil }
                return fact.companion?.text
            }
        }
        let two = [purchase("3", of: "3"), purchase("1", of: "1")]
        #expect(companions("Production", two) == ["1", "1"])
        #expect(companions("Production", [purchase("2", of: "1"), purchase("1", of: "1")]) == [nil, nil])
        #expect(companions("ProductionSandbox", two) == [nil, nil])
    }

    @Test func `the first download of the app is observed below its date and version, but in the sandbox`() {
        let download: [(ReceiptAttributeType, String)] = [
            (.originalPurchaseDate, "2025-03-01T12:00:00Z"), (.originalApplicationVersion, "1.9"),
            (.expirationDate, "2027-01-01T00:00:00Z"),
        ]
        let found = observations("ProductionVPP", [], download)
        var fact = AppFact()
        fact.originalPurchaseDate = Instant(iso8601: "2025-03-01T12:00:00Z")
        fact.originalApplicationVersion = "1.9"
        fact.expirationDate = Instant(iso8601: "2027-01-01T00:00:00Z")
        let account = AppAccountKey.Account.firstDownload(at: fact.originalPurchaseDate ?? .latest, version: "1.9")
        #expect(found.map(\.key) == [.appAccount(.init(environment: .production, bundleId: "app", account: account))])
        #expect(found.map(\.observation.fact) == [.app(fact)])
        #expect(found.map(\.observation.source.rank) == [.receiptFile])
        #expect(observations("ProductionVPPSandbox", [], download).isEmpty)
    }

    private enum TestError: Error { case noSubscription }
}

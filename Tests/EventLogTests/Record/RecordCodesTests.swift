import EventLog
import Primitives
import Testing

@Suite struct `Record codes` {
    @Test func `of kinds are those of the contract`() {
        let names: [UInt8: String] = [
            1: "transactionVerified", 2: "statusPolled", 3: "notificationReceived", 4: "receiptVerified",
            5: "renewalInfoVerified", 6: "appTransactionVerified", 7: "notificationV1Received",
            8: "transactionReceiptReceived", 16: "customerLinked",
            17: "customersMerged",
            18: "linkRefused", 19: "subscriptionTransferred", 20: "entitlementGranted", 21: "customerErased",
            22: "customersUnmerged", 23: "consentRecorded", 24: "tokenMapped", 32: "catalogChanged",
            33: "rulesActivated", 34: "actRequested", 35: "actAnswered", 36: "reconciled", 37: "rowAsserted",
            38: "ratesChanged", 39: "numbersClosed",
        ]
        for code in UInt8.min...UInt8.max {
            #expect(EventKind(rawValue: code).name == names[code] ?? "\(code)")
        }
        let named: [EventKind] = [
            .transactionVerified, .statusPolled, .notificationReceived, .receiptVerified, .renewalInfoVerified,
            .appTransactionVerified, .customerLinked, .customersMerged, .linkRefused, .subscriptionTransferred,
            .entitlementGranted, .customerErased, .customersUnmerged, .tokenMapped, .catalogChanged, .rulesActivated,
            .ratesChanged, .numbersClosed,
        ]
        #expect(named.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 16, 17, 18, 19, 20, 21, 22, 24, 32, 33, 38, 39])
    }

    @Test func `of artifacts are those of the contract`() {
        let artifacts: [ArtifactCode] = [
            .none, .notificationV2, .transaction, .renewalInfo, .appTransaction, .receipt, .receiptIOS6,
            .verifyReceiptAnswer, .serverAPIAnswer, .notificationV1, .yaml, .erasureResidue, .closeCells, .identifiers,
        ]
        #expect(artifacts.map(\.rawValue) == Array(0...13))
        // The names of `verify --kind`, for the kinds that it has.
        #expect(
            artifacts.map(\.name) == [
                "none", "notification", "transaction", "renewal-info", "app-transaction", "receipt", "receipt-ios6",
                "verify-receipt", "server-api", "notification-v1", "yaml", "erasure-residue", "close-cells",
                "identifiers",
            ])
        #expect(ArtifactCode(rawValue: 14).name == "14")
        #expect(ArtifactCode(rawValue: 255).name == "255")
    }

    @Test func `of sources are those of the contract`() {
        let names = ["http", "file", "poll", "reconcile", "operator", "import"]
        #expect((1...6).compactMap { EventSource(rawValue: $0)?.name } == names)
        #expect(EventSource(rawValue: 0) == nil)
        #expect(EventSource(rawValue: 7) == nil)
    }

    @Test func `of environments are those of the contract`() {
        let names = [nil, "Production", "Sandbox", "Xcode", "LocalTesting"]
        #expect((0...4).map { EnvironmentCode(rawValue: $0)?.name } == names)
        #expect(EnvironmentCode(rawValue: 5) == nil)
        for (code, name) in names.enumerated() {
            guard let name else { continue }
            #expect(EnvironmentCode(name: name)?.rawValue == UInt8(code))
        }
        #expect(EnvironmentCode(name: "production") == nil)
        #expect(EnvironmentCode(name: "") == nil)
    }

    @Test func `of trust are those of the contract`() {
        let names = ["signed", "fetched", "sharedSecret", "asserted", "own"]
        #expect((1...5).compactMap { TrustClass(rawValue: $0)?.name } == names)
        #expect(TrustClass(rawValue: 0) == nil)
        #expect(TrustClass(rawValue: 6) == nil)
    }

    @Test func `of flags are those of the contract`() {
        let flags: [RecordFlags] = [.configuredRoot, .repeats, .redacted, .confirms, .appIdNotChecked]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16])
    }
}

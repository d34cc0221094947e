import AppStoreSimulation
import EventLog
import FoundationEssentials
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

/// A ledger of the command line with the data of alice in every form in which the ledger stores it, and of bob.
struct ErasableLedger {
    static let alice = "erasable-alice@example.com"
    static let token = "5ca1ab1e-0ddb-4a11-9bad-facadefeed42"
    private static let bobsToken = "0b0b0b0b-0ddb-4a11-9bad-facadefeed42"
    static let keys = ["100", "101", "102", "103", "200"]

    let files: SignedFiles
    let folder: DataFolder

    init() throws {
        files = try SignedFiles()
        folder = DataFolder(path: files.data)
        let transactions = [
            Self.transaction("100", token: Self.token), Self.transaction("101", token: Self.token.uppercased()),
        ]
        try ingest("alice", transactions.map(\.text), customer: Self.alice)
        try ingest("bob", [Self.transaction("200", token: Self.bobsToken).text], customer: "bob")
        // Payloads of three lengths, so that the base64 of the token is at every alignment.
        try ingest("notifications", (0..<3).map { Self.notification($0, about: transactions[0]).text })
        try ingest("unsigned", [Self.answer], options: ["--trust-files"])
        try ingest("refused", [Self.transaction("102", token: Self.token, bundleId: "com.example.other").text])
        // Free pages: LMDB uses the pages of the first commits again.
        for number in 0..<4 { try ingest("later\(number)", [Self.transaction("10\(number)", copy: 1 + number).text]) }
        try Folder(folder.imports).create()
        let row = #"{"originalTransactionId":"100","customerId":"\#(Self.alice)","appAccountToken":"\#(Self.token)"}"#
        try AtomicFile.write(
            Array("{\"role\":\"backend\",\"key\":null}\n\(row)\n".utf8),
            to: "\(folder.imports)/\(String(repeating: "ab", count: 32)).rows")
    }

    private func ingest(
        _ name: String, _ lines: [String], customer: String? = nil, options: [String] = []
    ) throws {
        let archive = try files.archive(name + ".ndjson", lines)
        let owner = customer.map { ["--customer", $0] } ?? []
        let run = try Subledger(["ingest", archive, "--data", files.data] + files.trust + owner + options)
        // The artifact of another app is refused.
        try #require(run.ending == .exited(name == "refused" ? 1 : 0), "\(run.errors) \(run.output)")
    }

    private static func transaction(
        _ id: String, token: String? = nil, bundleId: String = SignedFiles.bundleId, copy: Int = 1
    ) -> SignedJWS {
        SignedFiles.sign(
            [
                .init("transactionId", .string(id)), .init("originalTransactionId", .string(id)),
                .init("bundleId", .string(bundleId)), .init("productId", .string("pro")),
                .init("purchaseDate", .integer(SignedFiles.start)),
                .init("expiresDate", .integer(SignedFiles.start + 31 * 86_400_000)),
                .init("type", .string("Auto-Renewable Subscription")),
                .init("inAppOwnershipType", .string("PURCHASED")),
                .init("signedDate", .integer(SignedFiles.start + Int64(copy))),
                .init("environment", .string("Production")), .init("appTransactionId", .string("70489746990338" + id)),
                .init("price", .integer(9_990)), .init("currency", .string("USD")), .init("storefront", .string("USA")),
            ] + (token.map { [.init("appAccountToken", .string($0))] } ?? []))
    }

    private static func notification(_ number: Int, about transaction: SignedJWS) -> SignedJWS {
        SignedFiles.sign([
            .init("notificationType", .string("DID_RENEW")),
            .init("notificationUUID", .string("00000000-0000-4000-8000-00000000000\(number)")),
            .init(
                "data",
                .object([
                    .init("bundleId", .string(SignedFiles.bundleId)), .init("environment", .string("Production")),
                    .init("signedTransactionInfo", .string(transaction.text)),
                    .init("bundleVersion", .string(String(repeating: "1", count: number + 1))),
                ])), .init("version", .string("2.0")), .init("signedDate", .integer(SignedFiles.start)),
        ])
    }

    /// An answer of verifyReceipt, which is stored as it is.
    private static var answer: String {
        let row = JSONValue.object([
            .init("product_id", .string("pro")), .init("transaction_id", .string("103")),
            .init("original_transaction_id", .string("103")), .init("quantity", .string("1")),
            .init("purchase_date_ms", .string("\(SignedFiles.start)")),
            .init("original_purchase_date_ms", .string("\(SignedFiles.start)")),
            .init("expires_date_ms", .string("\(SignedFiles.start + 31 * 86_400_000)")),
            .init("app_account_token", .string(token)), .init("in_app_ownership_type", .string("PURCHASED")),
        ])
        let receipt = JSONValue.object([
            .init("receipt_type", .string("Production")), .init("bundle_id", .string(SignedFiles.bundleId)),
            .init("receipt_creation_date_ms", .string("\(SignedFiles.start)")),
            .init("request_date_ms", .string("\(SignedFiles.start)")), .init("in_app", .array([row])),
        ])
        return JSONValue.object([
            .init("status", .integer(0)), .init("environment", .string("Production")), .init("receipt", receipt),
            .init("latest_receipt_info", .array([row])),
        ]).serialized()
    }

    /// The forms of the id and the token that the ledger stores, for the scan.
    func needles() throws -> [String] {
        let uuid = try #require(UUIDBytes(Self.token)).value.bigEndianBytes
        let code = try #require(try VaultKey.load(from: folder)).code(of: Array(Self.alice.utf8))
        return [
            "id=\(Hex.encode(Array(Self.alice.utf8)))", "id-code=\(code.hex)", "token=text:\(Self.token)",
            "token-bytes=\(Hex.encode(uuid))", "token-bytes=\(Hex.encode(uuid.reversed()))",
            "token-words=\(Hex.encode(uuid.prefix(8).reversed() + uuid.suffix(8).reversed()))",
            "token-words=\(Hex.encode(uuid.suffix(8) + uuid.prefix(8)))",
        ]
    }

    /// Returns the findings of the scan: NAME FORM FILE.
    func scan(_ needles: [String]) throws -> [String] {
        let dictionary = files.path("dictionary")
        try File.write(try #require(PackingDictionary.bytes(number: 1)), to: dictionary)
        let script = Python.path(of: "scan.py", beside: #filePath)
        let lines = try Python.lines(script, [folder.path, dictionary] + needles)
        // The scan inflated the evidence, also that of bob.
        let inflated = lines.last?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        try #require(inflated > 0)
        return Array(lines.dropLast())
    }

    func erase(_ options: [String] = ["--with-evidence"]) throws -> JSONView {
        let run = try Subledger(
            ["customer", "erase", Self.alice, "--data", folder.path, "--format", "json"] + options)
        try #require(run.ending == .exited(0), "\(run.errors)")
        return try JSONDocument(parsing: Array(run.output.utf8)).root
    }

    func reader() throws -> LedgerReader {
        try LedgerReader(Ledger.Configuration(folder: folder) { Instant(milliseconds: SignedFiles.start + 1_000_000) })
    }

    /// The rows of the analyses, which have no log sizes.
    func sums() throws -> [String] {
        let questions = [
            ["revenue"], ["revenue", "--mrr", "default"], ["revenue", "--charges"], ["cohorts"],
            ["churn", "--by", "month"],
        ]
        return try questions.map { question in
            let run = try Subledger(
                question + ["--as-of", "2024-03-15", "--data", folder.path, "--format", "csv"])
            try #require(run.ending == .exited(0), "\(run.errors)")
            return run.output
        }
    }

    /// The answers about every subscription, without log sizes.
    func answers() throws -> [String] {
        let reader = try reader()
        let question = AsOfQuery(asOf: Instant(milliseconds: SignedFiles.start + 1_000_000))
        return try Self.keys.map { id in
            let answer = try reader.state(of: SubscriptionSelector(originalTransactionId: id), question)
            return "\(id) " + (answer?.subscriptions.map { $0.json.serialized() }.joined() ?? "unknown")
        }
    }
}

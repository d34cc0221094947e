import AppStoreSimulation
import LedgerTesting
import Primitives

/// Files for the command line: a trusted root and artifacts signed under it.
struct SignedFiles {
    static let bundleId = "com.example.app"
    /// 2024-01-01, the date of every purchase and signature.
    static let start: Int64 = 1_704_067_200_000

    private let temporary: TemporaryFolder
    private let root: String

    init() throws {
        temporary = try TemporaryFolder()
        root = temporary.path + "/root.der"
        try File.write(SigningAuthority.standard.rootCertificate, to: root)
    }

    var data: String { temporary.path + "/data" }
    var trust: [String] { trust(bundleId: Self.bundleId) }

    func trust(bundleId: String) -> [String] { ["--trust-root", root, "--bundle-id", bundleId] }

    func path(_ name: String) -> String { "\(temporary.path)/\(name)" }

    /// Writes an archive with these lines and returns its path.
    func archive(_ name: String, _ lines: [String]) throws -> String {
        try File.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: path(name))
        return path(name)
    }

    static func sign(_ claims: [JSONValue.Member]) -> SignedJWS { JWSSigner().sign(.object(claims)) }

    /// A purchase of one month.
    static func transaction(_ id: String) -> SignedJWS {
        sign([
            .init("transactionId", .string(id)), .init("originalTransactionId", .string(id)),
            .init("bundleId", .string(bundleId)), .init("productId", .string("pro")),
            .init("purchaseDate", .integer(start)), .init("expiresDate", .integer(start + 31 * 86_400_000)),
            .init("type", .string("Auto-Renewable Subscription")), .init("inAppOwnershipType", .string("PURCHASED")),
            .init("signedDate", .integer(start)), .init("environment", .string("Production")),
        ])
    }
}

extension Subledger {
    /// The JSON values of its output, one per line.
    var lines: [JSONView] {
        get throws { try output.split(separator: "\n").map { try JSONDocument(parsing: Array($0.utf8)).root } }
    }
}

import AppStoreClient
import AppStoreModel
import AppStoreVerification
import LedgerModel
import Primitives

/// A row of an import: one subscription or purchase, and who owns it.
struct ImportRow: Sendable {
    enum Source: Sendable {
        case originalTransactionId(String)
        case transactionId(String)
        /// A JWS, or a receipt in base64.
        case signed([UInt8], ArtifactKind?)
    }

    let source: Source
    /// The app; nil for any configured one.
    let bundleId: String?
    /// Production or Sandbox; nil for Production first.
    let environment: Environment?
    /// The owner; nil for none.
    let owner: ExternalCustomerID?
    /// The token that belongs to the owner.
    let token: AppAccountToken?

    /// The maximum length of a line, that of a line of an archive.
    static let byteLimit = 8 * 1_024 * 1_024
    private static let idByteLimit = 128
    private static let sources = ["originalTransactionId", "transactionId", "jws", "receipt"]
    private static let members = sources + ["bundleId", "environment", "customerId", "appAccountToken"]

    /// - Throws: `ImportVerdict.malformed`, with the code of the reason.
    init(_ line: [UInt8]) throws(ImportVerdict) {
        guard line.count <= Self.byteLimit else { throw .malformed("payload_too_large") }
        do {
            let json = try JSONDocument(parsing: line).root
            try json.requireMembers(Self.members)
            source = try Self.source(of: json)
            bundleId = try json.text(of: "bundleId")
            environment = try json.text(of: "environment").map(Self.environment)
            let token = try json.text(of: "appAccountToken").map(Self.token)
            self.token = token
            owner = try (json.text(of: "customerId") ?? token?.text).map { try ExternalCustomerID($0) }
        } catch let error as CustomerError {
            throw .malformed(error.diagnosis.code)
        } catch let error as JSONError {
            throw .malformed(Refusal(json: error).code.rawValue)
        } catch {
            throw .malformed("posting_malformed")
        }
    }

    private static func source(of json: JSONView) throws(CustomerError) -> Source {
        let named = sources.filter { name in json.members.contains { $0.key == name && !$0.value.isNull } }
        guard named.count == 1 else {
            throw .malformed("the row", expected: "one of \(sources.joined(separator: ", "))", found: "\(named.count)")
        }
        if let id = try json.text(of: "originalTransactionId") { return .originalTransactionId(try checked(id)) }
        if let id = try json.text(of: "transactionId") { return .transactionId(try checked(id)) }
        if let jws = try json.text(of: "jws") { return .signed(Array(jws.utf8), nil) }
        return .signed(Array((try json.text(of: "receipt") ?? "").utf8), .receipt)
    }

    private static func checked(_ id: String) throws(CustomerError) -> String {
        guard (1...idByteLimit).contains(id.utf8.count) else {
            throw .malformed("the id", expected: "1 to \(idByteLimit) bytes", found: "\(id.utf8.count)")
        }
        return id
    }

    private static func environment(_ name: String) throws(CustomerError) -> Environment {
        guard let environment = Environment(known: name), [.production, .sandbox].contains(environment) else {
            throw .malformed("environment", expected: "Production or Sandbox", found: name)
        }
        return environment
    }

    private static func token(_ text: String) throws(CustomerError) -> AppAccountToken {
        guard let token = AppAccountToken(text) else {
            throw .malformed("appAccountToken", expected: "a UUID", found: "another text")
        }
        return token
    }

    /// The id that Apple is asked about; nil for a signed row.
    var id: String? {
        switch source {
        case .originalTransactionId(let id), .transactionId(let id): id
        case .signed: nil
        }
    }

    /// Names the purchase of the row. Rows of the same name are about the same purchase.
    var name: AnyHashable {
        switch source {
        case .originalTransactionId(let id), .transactionId(let id): id
        case .signed(let artifact, _): artifact
        }
    }

    /// Whether the row may be about an app.
    func allows(_ app: CallBudget.App) -> Bool {
        bundleId.map { $0 == app.bundleId } ?? true && environment.map { $0 == app.environment } ?? true
    }
}

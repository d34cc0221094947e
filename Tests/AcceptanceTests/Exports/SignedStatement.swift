import Primitives
import Testing

/// A transaction or a renewal info, read without the ledger.
struct SignedStatement {
    enum Kind: String, CaseIterable {
        case transaction = "signedTransactionInfo"
        case renewalInfo = "signedRenewalInfo"
    }

    let kind: Kind
    /// The SHA-256 of the signing input, in hexadecimal digits.
    let digest: String
    let payload: JSONView

    /// Returns the statements in a notification, or the one that a JWS is by itself.
    static func all(in jws: [UInt8]) throws -> [SignedStatement] {
        let payload = try payload(of: jws)
        guard payload["notificationType"] != nil else {
            if payload["autoRenewStatus"] != nil { return [try SignedStatement(.renewalInfo, jws)] }
            return payload["transactionId"] != nil ? [try SignedStatement(.transaction, jws)] : []
        }
        return try Kind.allCases.compactMap { kind in
            guard let nested = payload["data"]?.member(kind.rawValue)?.string else { return nil }
            return try SignedStatement(kind, Array(nested.utf8))
        }
    }

    private init(_ kind: Kind, _ jws: [UInt8]) throws {
        let end = try #require(jws.lastIndex(of: UInt8(ascii: ".")))
        self.kind = kind
        digest = Digest.sha256(of: jws[..<end]).hex
        payload = try Self.payload(of: jws)
    }

    private static func payload(of jws: [UInt8]) throws -> JSONView {
        let parts = jws.split(separator: UInt8(ascii: "."))
        let bytes = try #require(parts[1].withUnsafeBytes(Base64URL.decode))
        return try JSONDocument(parsing: bytes).root
    }
}

extension JSONView {
    /// Returns the member of an object with a name that is made at run time.
    func member(_ name: String) -> JSONView? { members.first { $0.key == name }?.value }
}

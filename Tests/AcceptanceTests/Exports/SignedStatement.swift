import Primitives
import Testing

/// A JWS inside a notification, read without the ledger.
struct SignedStatement {
    enum Kind: String, CaseIterable {
        case transaction = "signedTransactionInfo"
        case renewalInfo = "signedRenewalInfo"
    }

    let kind: Kind
    /// The SHA-256 of the signing input, in hexadecimal digits.
    let digest: String
    let payload: JSONView

    /// Returns the statements in a notification.
    static func all(in notification: [UInt8]) throws -> [SignedStatement] {
        let data = try payload(of: notification)["data"]
        return try Kind.allCases.compactMap { kind in
            guard let jws = data?.member(kind.rawValue)?.string.map({ Array($0.utf8) }) else { return nil }
            let end = try #require(jws.lastIndex(of: UInt8(ascii: ".")))
            return SignedStatement(
                kind: kind, digest: Digest.sha256(of: jws[..<end]).hex, payload: try payload(of: jws))
        }
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

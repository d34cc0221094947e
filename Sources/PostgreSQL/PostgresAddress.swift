/// The address of a database: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE`, each part optional.
/// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
///
/// Texts that libpq would read otherwise than meant are refused, such as a password with a slash: parts of it would be
/// shown as a host.
package struct PostgresAddress: Hashable, Sendable {
    /// The address with its secrets, for libpq alone.
    let uri: String
    /// The address without user, password and parameters.
    package let shown: String
    /// The texts that no message may contain.
    private let secrets: [String]

    private static let schemes = ["postgres://", "postgresql://"]

    /// Whether a text is an address, valid or not.
    package static func isMeant(by text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

    /// Returns nil for a text that is no such address.
    package init?(_ text: String) {
        guard let scheme = Self.schemes.first(where: { text.hasPrefix($0) }),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), Self.isPercentEncoded(text)
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let path = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = (path.first ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = parts.first ?? ""
        let database = parts.count > 1 ? parts[1] : ""
        let hosts = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let parameters = path.count > 1 ? path[1].split(separator: "&", omittingEmptySubsequences: false) : []
        guard hosts.split(separator: ",").allSatisfy(Self.isHost), !database.contains("@"), !database.contains("/"),
            parameters.allSatisfy(Self.isParameter)
        else { return nil }
        uri = text
        shown = "postgres://\(hosts)/\(database)"
        let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
        let password = user.firstIndex(of: ":").map { user[user.index(after: $0)...] } ?? ""
        let others = parameters.filter { $0.contains("password=") }.map { $0.split(separator: "=").last ?? "" }
        secrets = ([password] + others).filter { !$0.isEmpty }.flatMap { [String($0), Self.decoded($0)] }
    }

    /// Returns a text without the password.
    func redacted(_ text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "…") }
    }

    /// Whether a text is `HOST`, `HOST:PORT` or `:PORT`, with brackets around an IPv6 address.
    private static func isHost(_ text: Substring) -> Bool {
        text.wholeMatch(of: #/(\[[0-9A-Fa-f:.%]+\]|[0-9A-Za-z._%-]*)(:[0-9]{0,5})?/#) != nil
    }

    private static func isParameter(_ text: Substring) -> Bool {
        text.wholeMatch(of: #/[a-z_]+=[^=@]*/#) != nil
    }

    private static func isPercentEncoded(_ text: String) -> Bool {
        text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
            part.utf8.count >= 2 && !part.hasPrefix("00") && UInt8(part.prefix(2), radix: 16) != nil
        }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

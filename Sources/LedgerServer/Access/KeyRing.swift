import HTTPTypes
import LedgerConfiguration
import Primitives

/// The configured API keys. Without keys, every caller is an administrator, so such a listener must be on loopback
/// (`ListenerPolicy`).
struct KeyRing: Sendable {
    private struct Entry: Sendable {
        let key: APIKey
        let bucket: TokenBucket
    }

    private let entries: [Entry]

    init(_ keys: [APIKey]) {
        entries = keys.map { key in
            Entry(key: key, bucket: TokenBucket(rate: Double(key.callsPerSecond), burst: Double(key.burst)))
        }
    }

    /// Returns the role and the key of a call.
    /// - Throws: `key_missing`, `key_unknown`, `role_forbidden`, `rate_limited`.
    func admit(
        authorization: String?, to route: any Route, at now: ContinuousClock.Instant
    ) throws(Problem) -> Admission {
        guard case .only(let roles) = route.access else { return Admission(role: nil, key: nil) }
        guard !entries.isEmpty else { return Admission(role: .admin, key: nil) }
        let entry = try entry(of: try Self.token(in: authorization))
        guard roles.contains(entry.key.role) else { throw .forbidden(entry.key.role, expected: roles) }
        guard route.heedsKeyLimits || !entry.key.isLimited else { throw .limitedKey }
        if let wait = entry.bucket.take(at: now) { throw .rateLimited(entry.key, wait) }
        return Admission(role: entry.key.role, key: entry.key)
    }

    /// Returns the entry of a presented key. Compares its digest with every configured digest in constant time, so that
    /// timing reveals nothing about the keys.
    private func entry(of token: Substring) throws(Problem) -> Entry {
        let presented = Digest.sha256(of: token.utf8)
        var found: Int?
        for index in entries.indices where presented.isSame(as: entries[index].key.digest) { found = index }
        guard let found else { throw .keyUnknown }
        return entries[found]
    }

    /// Returns the key in `Bearer sl_<role>_<43 base64url>` (RFC 6750 §2.1). The scheme is case-insensitive (RFC 9110
    /// §11.1).
    private static func token(in authorization: String?) throws(Problem) -> Substring {
        guard let authorization else { throw .keyMissing }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .keyMissing }
        return parts[1]
    }
}

/// The role and the key of a call. Both are nil on a route for anybody; only the key is nil on a ledger without keys.
package struct Admission: Sendable {
    let role: Role?
    let key: APIKey?
}

extension APIKey {
    fileprivate var isLimited: Bool { !bundleIds.isEmpty || !environments.isEmpty }
}

extension Digest {
    /// Whether two digests are equal. The comparison takes the same time for all values.
    fileprivate func isSame(as other: Digest) -> Bool {
        let difference =
            (words.0 ^ other.words.0) | (words.1 ^ other.words.1) | (words.2 ^ other.words.2)
            | (words.3 ^ other.words.3)
        return difference == 0
    }
}

extension Problem {
    private static let challenge: HTTPFields = [.wwwAuthenticate: "Bearer"]
    private static let form = "Authorization: Bearer sl_<role>_<43 characters>"

    fileprivate static let keyMissing = Problem(
        .unauthorized, "key_missing", "missing API key", expected: form, found: "none",
        headers: challenge)

    /// The error does not repeat the presented key, which may belong to another service.
    fileprivate static let keyUnknown = Problem(
        .unauthorized, "key_unknown", "unknown API key", expected: form, found: "an unknown key",
        hint: "Add the SHA-256 of the whole key to apiKeys in the configuration.", headers: challenge)

    fileprivate static func forbidden(_ role: Role, expected: Set<Role>) -> Problem {
        Problem(
            .forbidden, "role_forbidden", "the role of the API key does not permit this call",
            expected: expected.map(\.rawValue).sorted().joined(separator: ", "), found: role.rawValue)
    }

    fileprivate static let limitedKey = Problem(
        .forbidden, "role_forbidden", "the route returns data of all apps, but the API key is limited",
        expected: "a key without bundleIds and environments", found: "a limited key")

    fileprivate static func rateLimited(_ key: APIKey, _ wait: Duration) -> Problem {
        Problem(
            .tooManyRequests, "rate_limited", "rate limit of the API key exceeded",
            expected: "\(key.callsPerSecond) requests per second, bursts of \(key.burst)", found: "a higher rate",
            retryAfter: max(1, Int(wait.components.seconds) + 1))
    }
}

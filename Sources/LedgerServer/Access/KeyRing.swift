import HTTPTypes
import LedgerConfiguration
import Primitives

/// The keys that are configured. With none, everybody who can reach the listener is an administrator: such a listener
/// is on the loopback (`ListenerPolicy`).
struct KeyRing: Sendable {
    private struct Entry: Sendable {
        let key: APIKey
        let bucket: TokenBucket
    }

    private let entries: [Entry]

    /// - Parameters:
    ///   - rate: calls a second a key may make for long.
    ///   - burst: calls it may make at once after a rest.
    init(_ keys: [APIKey], rate: Double, burst: Double) {
        entries = keys.map { Entry(key: $0, bucket: TokenBucket(rate: rate, burst: burst)) }
    }

    /// The role in which a call is made; nil on a route for anybody.
    /// - Throws: `key_missing`, `key_unknown`, `role_forbidden`, `rate_limited`.
    func admit(
        authorization: String?, to access: Access, at now: ContinuousClock.Instant
    ) throws(Problem) -> Role? {
        guard case .only(let roles) = access else { return nil }
        guard !entries.isEmpty else { return .admin }
        let entry = try entry(of: try Self.token(in: authorization))
        guard roles.contains(entry.key.role) else { throw .forbidden(entry.key.role, expected: roles) }
        if let wait = entry.bucket.take(at: now) { throw .rateLimited(wait) }
        return entry.key.role
    }

    /// The digest is compared with every key, each time in full, so that time tells nothing about any of them.
    private func entry(of token: Substring) throws(Problem) -> Entry {
        let presented = Digest.sha256(of: token.utf8)
        var found: Int?
        for index in entries.indices where presented.isSame(as: entries[index].key.digest) { found = index }
        guard let found else { throw .keyUnknown }
        return entries[found]
    }

    /// `Bearer sl_<role>_<43 base64url>`, RFC 6750 §2.1; the scheme in any case (RFC 9110 §11.1).
    private static func token(in authorization: String?) throws(Problem) -> Substring {
        guard let authorization else { throw .keyMissing }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .keyMissing }
        return parts[1]
    }
}

extension Digest {
    /// Equality in the same time for all values.
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
        .unauthorized, "key_missing", "this route needs an API key", expected: form, found: "none",
        headers: challenge)

    /// Nothing of what was presented is told: it may be a key of somewhere else.
    fileprivate static let keyUnknown = Problem(
        .unauthorized, "key_unknown", "nobody here has this API key", expected: form, found: "an unknown key",
        hint: "Keys are configured as the SHA-256 of the whole key.", headers: challenge)

    fileprivate static func forbidden(_ role: Role, expected: Set<Role>) -> Problem {
        Problem(
            .forbidden, "role_forbidden", "the role of this API key may not do this",
            expected: expected.map(\.rawValue).sorted().joined(separator: ", "), found: role.rawValue)
    }

    fileprivate static func rateLimited(_ wait: Duration) -> Problem {
        Problem(
            .tooManyRequests, "rate_limited", "this API key makes too many calls",
            expected: "\(Int(ServerLimits.callsPerSecond)) a second, \(Int(ServerLimits.callBurst)) at once",
            found: "more", retryAfter: max(1, Int(wait.components.seconds) + 1))
    }
}

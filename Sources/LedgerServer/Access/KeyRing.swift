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

    init(_ keys: [APIKey]) {
        entries = keys.map { key in
            Entry(key: key, bucket: TokenBucket(rate: Double(key.callsPerSecond), burst: Double(key.burst)))
        }
    }

    /// Returns who makes a call of a route.
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

/// The role in which a call is made, and its key; neither on a route for anybody, no key on a ledger without keys.
package struct Admission: Sendable {
    let role: Role?
    let key: APIKey?
}

extension APIKey {
    fileprivate var isLimited: Bool { !bundleIds.isEmpty || !environments.isEmpty }
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

    fileprivate static let limitedKey = Problem(
        .forbidden, "role_forbidden", "this API key is limited to some apps or environments, and the route shows all",
        expected: "a key without bundleIds and environments", found: "a limited key")

    fileprivate static func rateLimited(_ key: APIKey, _ wait: Duration) -> Problem {
        Problem(
            .tooManyRequests, "rate_limited", "this API key makes too many calls",
            expected: "\(key.callsPerSecond) a second, \(key.burst) at once", found: "more",
            retryAfter: max(1, Int(wait.components.seconds) + 1))
    }
}

import AppStoreModel
import Hummingbird
import LedgerStorage
import Primitives
import SubscriptionLedger

/// The query parameters of a call. Unknown parameters are rejected, so that a misspelt `asOf` is not answered as of
/// now.
struct Query: Sendable {
    private var values: [String: String] = [:]

    /// - Throws: `parameter_invalid` for a name that is not in `names` or occurs twice, and for invalid encoding.
    init(of call: RouteRequest, names: [String]) throws(Problem) {
        guard let query = call.request.uri.query, !query.isEmpty else { return }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0]), names.contains(name) else {
                throw .unknownParameter(String(parts[0]), known: names)
            }
            guard values[name] == nil else { throw .repeatedParameter(name) }
            let raw = parts.count == 2 ? parts[1] : ""
            guard let value = PercentEncoding.decode(raw) else {
                throw .parameter(name, expected: "percent-encoded UTF-8 (RFC 3986)", found: String(raw))
            }
            values[name] = value
        }
    }

    func text(_ name: String) -> String? { values[name] }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = values[name] else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw .parameter(
                name, expected: "an integer from \(range.lowerBound) to \(range.upperBound)", found: text)
        }
        return number
    }

    func flag(_ name: String) throws(Problem) -> Bool {
        switch values[name] {
        case nil, "false": return false
        case "true": return true
        case let text?: throw .parameter(name, expected: "true or false", found: text)
        }
    }

    func environment() throws(Problem) -> AppStoreModel.Environment? {
        guard let text = values["environment"] else { return nil }
        guard let environment = AppStoreModel.Environment(known: text) else {
            throw .parameter(
                "environment", expected: AppStoreModel.Environment.known.map(\.rawValue).joined(separator: ", "),
                found: text)
        }
        return environment
    }

    /// Returns the words of a comma-separated list. Words have the form of Apple's enumeration values; unknown ones are
    /// accepted, because Apple adds values.
    func words(_ name: String) throws(Problem) -> Set<String>? {
        guard let text = values[name] else { return nil }
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count <= ServerLimits.wordsInList, words.allSatisfy(Self.isWord) else {
            throw .parameter(
                name,
                expected: "at most \(ServerLimits.wordsInList) comma-separated words of A to Z, 0 to 9 and _",
                found: text)
        }
        return Set(words.map(String.init))
    }

    /// Returns the words of a comma-separated list of the ledger's own words. Others are refused, because a misspelt one
    /// would match nothing.
    func words(_ name: String, known: [String]) throws(Problem) -> Set<String>? {
        guard let text = values[name] else { return nil }
        let words = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        guard words.isSubset(of: known) else {
            throw .parameter(name, expected: known.joined(separator: ", "), found: text)
        }
        return words
    }

    private static func isWord(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
    }

    static let scopeNames = ["environment", "bundleId"]

    /// Returns the scope of a call. `environment` is Production by default, or the key's alphabetically first
    /// environment if the key does not allow Production. `bundleId` is every app by default.
    /// - Throws: `parameter_invalid`; `role_forbidden` for a scope outside the key's limits.
    func scope(of call: RouteRequest) throws(Problem) -> CustomerScope {
        let limits = call.limits
        let usual = limits.allow(.production) ? .production : limits.environments.min { $0.rawValue < $1.rawValue }
        let scope = CustomerScope(
            environment: try environment() ?? usual ?? .production, bundleId: text("bundleId"), limits: limits)
        guard limits.allow(scope.environment) else {
            throw .outsideKey(
                "environments", expected: limits.environments.map(\.rawValue), found: scope.environment.rawValue)
        }
        if let bundleId = scope.bundleId, !limits.allow(bundleId: bundleId) {
            throw .outsideKey("apps", expected: Array(limits.bundleIds), found: bundleId)
        }
        return scope
    }

    static let questionNames = ["asOf", "knownAt", "signedBy", "atLeast"]

    /// Returns `asOf`, `knownAt` and `signedBy`, after the ledger has reached the position `atLeast`.
    /// - Throws: `parameter_invalid`; `position_unknown` (503) when waiting takes too long; `StorageError`.
    func question(_ context: RouteContext) async throws -> AsOfQuery {
        let question = try question(now: context.now)
        if let position = try integer("atLeast", in: -1...Int64.max - 1) { try await context.wait(for: position) }
        return question
    }

    /// Whether the question is about the present, with all that is known.
    var isAboutNow: Bool { ["asOf", "knownAt", "signedBy"].allSatisfy { values[$0] == nil } }

    /// Returns `asOf`, by default now, and `knownAt`, by default every event.
    private func question(now: Instant) throws(Problem) -> AsOfQuery {
        var question = AsOfQuery(asOf: now)
        if let text = values["asOf"] {
            guard let instant = Instant(text: text) else {
                throw .parameter("asOf", expected: "ISO 8601 or milliseconds since 1970", found: text)
            }
            question.asOf = instant
        }
        if let text = values["signedBy"] {
            guard let instant = Instant(text: text) else {
                throw .parameter("signedBy", expected: "ISO 8601 or milliseconds since 1970", found: text)
            }
            question.signedBy = instant
        }
        if let text = values["knownAt"] {
            guard let knownAt = AsOfQuery.KnownAt(text: text) else {
                throw .parameter("knownAt", expected: "a log size below 10^11 or an instant", found: text)
            }
            question.knownAt = knownAt
        }
        return question
    }
}

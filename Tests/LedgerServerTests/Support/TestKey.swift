import AppStoreModel
import HTTPTypes
import LedgerConfiguration
import Primitives

/// An API key with its plain text.
struct TestKey: Sendable {
    let role: Role
    let text: String
    private let callsPerSecond: Int?
    private let burst: Int?
    private let bundleIds: Set<String>
    private let environments: Set<Environment>

    init(
        _ role: Role, callsPerSecond: Int? = nil, burst: Int? = nil, bundleIds: Set<String> = [],
        environments: Set<Environment> = []
    ) {
        self.role = role
        self.callsPerSecond = callsPerSecond
        self.burst = burst
        self.bundleIds = bundleIds
        self.environments = environments
        text = "sl_\(role.rawValue)_\(Base64URL.encode([UInt8](repeating: UInt8(role.rawValue.utf8.count), count: 32)))"
    }

    var configured: APIKey {
        APIKey(
            name: role.rawValue, role: role, digest: .sha256(of: text.utf8), callsPerSecond: callsPerSecond,
            burst: burst, bundleIds: bundleIds, environments: environments)
    }

    var headers: HTTPFields { [.authorization: "Bearer \(text)"] }

    static let all = Role.allCases.map { TestKey($0) }
}

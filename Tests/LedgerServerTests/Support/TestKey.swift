import HTTPTypes
import LedgerConfiguration
import Primitives

/// An API key, as its holder has it.
struct TestKey: Sendable {
    let role: Role
    let text: String

    init(_ role: Role) {
        self.role = role
        text = "sl_\(role.rawValue)_\(Base64URL.encode([UInt8](repeating: UInt8(role.rawValue.utf8.count), count: 32)))"
    }

    var configured: APIKey {
        APIKey(name: role.rawValue, role: role, digest: .sha256(of: text.utf8))
    }

    var headers: HTTPFields { [.authorization: "Bearer \(text)"] }

    static let all = Role.allCases.map(TestKey.init)
}

import AppStoreModel
import Primitives

extension AppReceipt {
    /// The attributes by name; those without one by number. Octets are hexadecimal.
    var json: JSONValue { .object(members) }

    var members: [JSONValue.Member] {
        Self.members(of: attributes) + [.init("in_app", .array(inApp.map { .object(Self.members(of: $0)) }))]
    }

    private static func members(of attributes: [ReceiptAttribute]) -> [JSONValue.Member] {
        // A receipt may repeat an attribute; JSON must not.
        var seen: Set<ReceiptAttributeType> = []
        return attributes.filter { seen.insert($0.type).inserted }.sorted { $0.type.rawValue < $1.type.rawValue }
            .map { .init($0.type.name ?? "\($0.type.rawValue)", $0.value.json) }
    }
}

extension ReceiptAttribute.Value {
    var text: String {
        switch self {
        case .text(let text): text
        case .integer(let integer): "\(integer)"
        case .octets(let octets): Hex.encode(octets)
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .integer(let integer): .integer(integer)
        case .octets(let octets): .string(Hex.encode(octets))
        }
    }
}

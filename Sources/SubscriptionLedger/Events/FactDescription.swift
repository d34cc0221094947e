import AppStoreModel
import LedgerModel
import Primitives

/// Describes facts as JSON for readers of an event. Reflection lists the fields under their own names, which are
/// Apple's, so that none is omitted.
enum FactDescription {
    static func json(_ keyed: KeyedObservation) -> JSONValue {
        let source = keyed.observation.source
        let (kind, fact): (String, Any) =
            switch keyed.observation.fact {
            case .transaction(let fact): ("transaction", fact)
            case .renewal(let fact): ("renewalInfo", fact)
            case .notification(let fact): (fact.notificationUUID == nil ? "status" : "notification", fact)
            case .app(let fact): ("appTransaction", fact)
            }
        return .object(
            [
                .init("kind", .string(kind)), .init("observedAt", JSONValue(source.time)),
                .init("statedBy", .string(source.name.digest.hex)),
            ] + key(keyed.key) + fields(of: fact))
    }

    private static func key(_ key: TimelineKey) -> [JSONValue.Member] {
        switch key {
        case .subscription(let key):
            [
                .init("environment", .string(key.environment.rawValue)), .init("bundleId", .string(key.bundleId)),
                .init("originalTransactionId", .string(key.originalTransactionId)),
            ]
        case .appAccount(let key):
            [
                .init("environment", .string(key.environment.rawValue)), .init("bundleId", .string(key.bundleId)),
            ]
        }
    }

    private static func fields(of fact: Any) -> [JSONValue.Member] {
        Mirror(reflecting: fact).children.compactMap { child in
            guard let label = child.label, let value = json(child.value) else { return nil }
            return JSONValue.Member(label, value)
        }
    }

    /// Returns the value as JSON; nil for an absent value.
    private static func json(_ value: Any) -> JSONValue? {
        switch value {
        case let text as String: .string(text)
        case let number as Int64: .integer(number)
        case let number as Int: .integer(Int64(number))
        case let flag as Bool: .bool(flag)
        case let instant as Instant: JSONValue(instant)
        case let digest as Digest: .string(digest.hex)
        case let symbol as Symbol: .string(symbol.text)
        case let id as AppleID: .string(id.text)
        case let token as AppAccountToken: .string(token.text)
        case let uuid as NotificationUUID: .string(uuid.bytes.text)
        case let offers as Interned<OfferIdentifiers>: .array(offers.value.ids.map { .string($0.text) })
        case let revocations as Interned<TransactionFact.ItemRevocations>: json(revocations.value.items)
        case let word as any OpenVocabulary: .string(word.rawValue)
        case let number as any OpenNumericVocabulary: .integer(number.rawValue)
        case let list as [Any]: .array(list.compactMap(json))
        case let optional as any OptionalValue: optional.wrapped.flatMap(json)
        default: .object(fields(of: value))
        }
    }
}

private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { self }
}

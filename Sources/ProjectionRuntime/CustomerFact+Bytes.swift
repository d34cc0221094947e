import AppStoreModel
import LedgerModel

/// The stored form: a kind byte, then each part after its length. The position is that of the event.
extension CustomerFact {
    private enum Kind: UInt8 {
        case claim = 16
        case merge = 17
    }

    func append(to bytes: inout [UInt8]) {
        let parts: [[UInt8]]
        switch self {
        case .claim(let claim):
            bytes.append(Kind.claim.rawValue)
            parts = [
                claim.customer.bytes, Array(claim.by.name.utf8), Array(claim.key.environment.rawValue.utf8),
                Array(claim.key.bundleId.utf8), Array(claim.key.originalTransactionId.utf8),
            ]
        case .merge(let merge):
            bytes.append(Kind.merge.rawValue)
            parts = [merge.customer.bytes, merge.into.bytes]
        }
        for part in parts { EventFacts.append(part, to: &bytes) }
    }

    /// - Returns: nil when the bytes are of another version or damaged.
    init?(taking rest: inout ArraySlice<UInt8>, position: Position) {
        guard let kind = rest.popFirst().flatMap(Kind.init(rawValue:)), let customer = Self.handle(&rest) else {
            return nil
        }
        switch kind {
        case .claim:
            guard let by = EventFacts.string(&rest).flatMap(Claim.Authority.init(name:)),
                let environment = EventFacts.string(&rest), let bundleId = EventFacts.string(&rest),
                let id = EventFacts.string(&rest)
            else { return nil }
            let key = SubscriptionKey(
                environment: Environment(rawValue: environment), bundleId: bundleId, originalTransactionId: id)
            self = .claim(Claim(key: key, customer: customer, by: by, position: position))
        case .merge:
            guard let into = Self.handle(&rest) else { return nil }
            self = .merge(Merge(customer: customer, into: into, position: position))
        }
    }

    private static func handle(_ rest: inout ArraySlice<UInt8>) -> CustomerHandle? {
        EventFacts.take(&rest).flatMap { CustomerHandle(bytes: $0) }
    }
}

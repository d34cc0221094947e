import AppStoreModel
import LedgerModel

/// The stored form: a kind byte, then each part after its length. The position is that of the event.
extension CustomerFact {
    /// The values are those of the event kinds.
    private enum Kind: UInt8 {
        case claim = 16
        case merge = 17
        case refusedClaim = 18
        case transfer = 19
        case unmerge = 22
        case token = 24
    }

    func append(to bytes: inout [UInt8]) {
        let (kind, parts): (Kind, [[UInt8]]) =
            switch self {
            case .claim(let claim): (.claim, Self.parts(claim))
            case .refusedClaim(let claim): (.refusedClaim, Self.parts(claim))
            case .transfer(let transfer): (.transfer, [transfer.customer.bytes] + Self.parts(transfer.key))
            case .directory(.merge(let merge)):
                (.merge, [merge.customer.bytes, merge.into.bytes, Array(merge.by.name.utf8)])
            case .directory(.unmerge(let unmerge)): (.unmerge, [unmerge.customer.bytes, unmerge.into.bytes])
            case .token(let mapping): (.token, [mapping.customer.bytes, Array(mapping.token.text.utf8)])
            }
        bytes.append(kind.rawValue)
        for part in parts { EventFacts.append(part, to: &bytes) }
    }

    private static func parts(_ claim: Claim) -> [[UInt8]] {
        [claim.customer.bytes] + parts(claim.key) + [Array(claim.by.name.utf8)]
    }

    private static func parts(_ key: SubscriptionKey) -> [[UInt8]] {
        [key.environment.rawValue, key.bundleId, key.originalTransactionId].map { Array($0.utf8) }
    }

    /// - Returns: nil when the bytes are of another version or damaged.
    init?(taking rest: inout ArraySlice<UInt8>, position: Position) {
        guard let kind = rest.popFirst().flatMap(Kind.init(rawValue:)), let customer = Self.handle(&rest) else {
            return nil
        }
        switch kind {
        case .claim, .refusedClaim:
            guard let key = Self.key(&rest), let by = Self.authority(&rest) else { return nil }
            let claim = Claim(key: key, customer: customer, by: by, position: position)
            self = kind == .claim ? .claim(claim) : .refusedClaim(claim)
        case .transfer:
            guard let key = Self.key(&rest) else { return nil }
            self = .transfer(Transfer(key: key, customer: customer, position: position))
        case .merge:
            guard let into = Self.handle(&rest), let by = Self.authority(&rest) else { return nil }
            self = .directory(.merge(Merge(customer: customer, into: into, by: by, position: position)))
        case .token:
            guard let token = EventFacts.string(&rest).flatMap(AppAccountToken.init) else { return nil }
            self = .token(TokenMapping(token: token, customer: customer, position: position))
        case .unmerge:
            guard let into = Self.handle(&rest) else { return nil }
            self = .directory(.unmerge(Unmerge(customer: customer, into: into, position: position)))
        }
    }

    private static func handle(_ rest: inout ArraySlice<UInt8>) -> CustomerHandle? {
        EventFacts.take(&rest).flatMap { CustomerHandle(bytes: $0) }
    }

    private static func authority(_ rest: inout ArraySlice<UInt8>) -> Claim.Authority? {
        EventFacts.string(&rest).flatMap(Claim.Authority.init(name:))
    }

    private static func key(_ rest: inout ArraySlice<UInt8>) -> SubscriptionKey? {
        guard let environment = EventFacts.string(&rest), let bundleId = EventFacts.string(&rest),
            let id = EventFacts.string(&rest)
        else { return nil }
        return SubscriptionKey(
            environment: Environment(rawValue: environment), bundleId: bundleId, originalTransactionId: id)
    }
}

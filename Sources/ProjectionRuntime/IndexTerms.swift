package import AppStoreModel
import AppStoreTranslation
package import EventLog
package import LedgerModel

/// Two keys that Apple joins share a term, so following terms finds a lineage.
extension IndexTerm {
    /// All events of one purchase history, and those that name it as what they migrated from.
    package static func subscription(_ key: SubscriptionKey) -> IndexTerm {
        IndexTerm("s", [key.environment.rawValue, key.bundleId, key.originalTransactionId])
    }

    /// All events of an originalTransactionId, of whatever app and environment.
    package static func originalTransactionId(_ id: String) -> IndexTerm {
        IndexTerm("o", [id])
    }

    /// All events of one Apple account's download of an app.
    package static func appTransaction(_ id: String, environment: Environment, bundleId: String) -> IndexTerm {
        IndexTerm("a", [environment.rawValue, bundleId, id])
    }

    /// The claims of a customer, refused ones too, the transfers to them, and the tokens mapped to them.
    package static func claims(of handle: CustomerHandle) -> IndexTerm {
        IndexTerm("c", [handle.hex])
    }

    /// The customer that a token was mapped to.
    package static func mapping(of token: AppAccountToken) -> IndexTerm {
        IndexTerm("n", [token.text])
    }

    /// The merges and unmerges that a customer took part in.
    package static func merges(of handle: CustomerHandle) -> IndexTerm {
        IndexTerm("m", [handle.hex])
    }

    /// All transactions and renewal infos that carry the token.
    package static func appAccountToken(_ token: AppAccountToken) -> IndexTerm {
        IndexTerm("t", [token.text])
    }

    /// Parts are separated by a byte that no UTF-8 text contains.
    private init(_ kind: Unicode.Scalar, _ parts: [String]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(UInt8(ascii: kind))
        for part in parts {
            bytes.append(0xFF)
            bytes += part.utf8
        }
        self.init(hashing: bytes)
    }
}

extension FiledObservation {
    /// Every term the observation is found under, but for those that follow from what the one before says as well:
    /// the observations of an event mostly share their key, account and token.
    fileprivate func indexTerms(after previous: FiledObservation?) -> [IndexTerm] {
        guard case .subscription(let key) = self.key else {
            guard case .appAccount(let account) = self.key, case .appTransaction(let id) = account.account else {
                return []
            }
            return [.appTransaction(id, environment: account.environment, bundleId: account.bundleId)]
        }
        let isKeyNew = self.key != previous?.key
        let (fact, previousFact) = (observation.fact, previous?.observation.fact)
        var terms: [IndexTerm] = []
        if isKeyNew { terms += [.subscription(key), .originalTransactionId(key.originalTransactionId)] }
        if let joints = fact.joints, isKeyNew || joints != previousFact?.joints { terms += joints.terms(of: key) }
        if let token = fact.appAccountToken, token != previousFact?.appAccountToken {
            if let token = AppAccountToken(token) { terms.append(.appAccountToken(token)) }
        }
        return terms
    }
}

/// By what a key is joined with others: what it migrated from, and the Apple account.
struct Joints: Equatable {
    let previousOriginalTransactionId: String?
    let appTransactionId: String?

    func terms(of key: SubscriptionKey) -> [IndexTerm] {
        var terms: [IndexTerm] = []
        if let previous = previousOriginalTransactionId {
            terms.append(
                .subscription(
                    SubscriptionKey(
                        environment: key.environment, bundleId: key.bundleId, originalTransactionId: previous)))
        }
        if let account = appTransactionId {
            terms.append(.appTransaction(account, environment: key.environment, bundleId: key.bundleId))
        }
        return terms
    }
}

extension Fact {
    /// Nil when it states none.
    var joints: Joints? {
        let joints: Joints
        switch self {
        case .transaction(let fact):
            joints = Joints(
                previousOriginalTransactionId: fact.previousOriginalTransactionId,
                appTransactionId: fact.appTransactionId)
        case .renewal(let fact):
            joints = Joints(previousOriginalTransactionId: nil, appTransactionId: fact.appTransactionId)
        case .notification, .app:
            return nil
        }
        return joints.previousOriginalTransactionId == nil && joints.appTransactionId == nil ? nil : joints
    }
}

extension CustomerFact {
    var indexTerms: [IndexTerm] {
        switch self {
        case .claim(let claim), .refusedClaim(let claim): [.subscription(claim.key), .claims(of: claim.customer)]
        case .transfer(let transfer): [.subscription(transfer.key), .claims(of: transfer.customer)]
        case .token(let mapping): [.mapping(of: mapping.token), .claims(of: mapping.customer)]
        case .directory(.merge(let merge)): [.merges(of: merge.customer), .merges(of: merge.into)]
        case .directory(.unmerge(let unmerge)): [.merges(of: unmerge.customer), .merges(of: unmerge.into)]
        }
    }
}

extension EventFacts {
    /// Under what the event is found, each term once.
    package var indexTerms: [IndexTerm] {
        var terms = customerFact?.indexTerms ?? []
        var previous: FiledObservation?
        for filed in observations {
            for term in filed.indexTerms(after: previous) where !terms.contains(term) { terms.append(term) }
            previous = filed
        }
        return terms
    }
}

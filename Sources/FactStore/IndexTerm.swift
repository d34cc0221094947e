package import AppStoreModel
package import LedgerModel
import Primitives

/// An index term of events: the first 16 bytes of a SHA-256.
package struct IndexTerm: Hashable, Sendable {
    package let hash: UInt128

    package init(hashing bytes: [UInt8]) {
        hash = bytes.withUnsafeBytes { Digest.sha256(of: $0) }.firstHalf
    }
}

/// Keys that Apple joins share a term, so following terms finds a lineage.
extension IndexTerm {
    /// The term of all events of one purchase history, and of those that name it as the origin of a migration.
    package static func subscription(_ key: SubscriptionKey) -> IndexTerm {
        IndexTerm("s", [key.environment.rawValue, key.bundleId, key.originalTransactionId])
    }

    /// The term of all events of an originalTransactionId, in any app and environment.
    package static func originalTransactionId(_ id: String) -> IndexTerm {
        IndexTerm("o", [id])
    }

    /// The term of all events of one Apple account's download of an app.
    package static func appTransaction(_ id: AppleID, environment: Environment, bundleId: String) -> IndexTerm {
        IndexTerm("a", [environment.rawValue, bundleId, id.text])
    }

    /// Creates the term of all events of a download.
    package init(_ account: AppAccountKey) {
        switch account.account {
        case .appTransaction(let id):
            self = .appTransaction(id, environment: account.environment, bundleId: account.bundleId)
        case .firstDownload(let instant, let version):
            let names = [account.environment.rawValue, account.bundleId, instant.iso8601, version.text]
            self.init("d", names)
        }
    }

    /// The term of a customer's claims, refused ones included, and of the transfers, tokens, grants and consents that name
    /// the customer.
    package static func claims(of handle: CustomerHandle) -> IndexTerm {
        IndexTerm("c", [handle.hex])
    }

    /// The term of a token's mapping to a customer.
    package static func mapping(of token: AppAccountToken) -> IndexTerm {
        IndexTerm("n", [token.text])
    }

    /// The term of the merges and unmerges that involve a customer.
    package static func merges(of handle: CustomerHandle) -> IndexTerm {
        IndexTerm("m", [handle.hex])
    }

    /// The term of all transactions and renewal infos that carry the token.
    package static func appAccountToken(_ token: AppAccountToken) -> IndexTerm {
        IndexTerm("t", [token.text])
    }

    /// The term of all activations of rules.
    package static let rulesActivations = IndexTerm("r", [])

    /// The term of all changes of catalogues, of any app.
    package static let catalogChanges = IndexTerm("k", [])

    /// The term of all additions of exchange rates.
    package static let ratesChanges = IndexTerm("x", [])

    /// The term of all erasures of customers.
    package static let erasures = IndexTerm("e", [])

    /// The term of all closes of numbers.
    package static let numbersCloses = IndexTerm("z", [])

    /// Creates a term. The separator of the parts is a byte that no UTF-8 text contains.
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

extension KeyedObservation {
    /// Returns the terms of the observation, without those that the previous observation shares. The observations of an
    /// event mostly have the same key, account and token.
    fileprivate func indexTerms(after previous: KeyedObservation?) -> [IndexTerm] {
        switch key {
        case .appAccount(let account): [IndexTerm(account)]
        case .subscription(let key): indexTerms(of: key, after: previous)
        }
    }

    private func indexTerms(of key: SubscriptionKey, after previous: KeyedObservation?) -> [IndexTerm] {
        let isKeyNew = self.key != previous?.key
        let (fact, previousFact) = (observation.fact, previous?.observation.fact)
        var terms: [IndexTerm] = []
        if isKeyNew { terms += [.subscription(key), .originalTransactionId(key.originalTransactionId)] }
        if let linkingIdentifiers = fact.linkingIdentifiers,
            isKeyNew || linkingIdentifiers != previousFact?.linkingIdentifiers
        {
            terms += linkingIdentifiers.terms(of: key)
        }
        if let token = fact.appAccountToken, token != previousFact?.appAccountToken {
            terms.append(.appAccountToken(token))
        }
        return terms
    }
}

/// The identifiers that join a key with others: the history it migrated from, the Apple account, and the first key of the
/// same receipt.
struct LinkingIdentifiers: Equatable {
    var previousOriginalTransactionId: AppleID?
    var appTransactionId: AppleID?
    var companion: AppleID?

    var isEmpty: Bool { self == LinkingIdentifiers() }

    func terms(of key: SubscriptionKey) -> [IndexTerm] {
        var terms: [IndexTerm] = []
        for other in [previousOriginalTransactionId, companion].compactMap(\.self) {
            terms.append(
                .subscription(
                    SubscriptionKey(environment: key.environment, bundle: key.bundle, originalTransaction: other)))
        }
        if let account = appTransactionId {
            terms.append(.appTransaction(account, environment: key.environment, bundleId: key.bundleId))
        }
        return terms
    }
}

extension Fact {
    /// The identifiers that the fact states; nil when there are none.
    var linkingIdentifiers: LinkingIdentifiers? {
        let linkingIdentifiers: LinkingIdentifiers
        switch self {
        case .transaction(let fact):
            linkingIdentifiers = LinkingIdentifiers(
                previousOriginalTransactionId: fact.previousOriginalTransactionId,
                appTransactionId: fact.appTransactionId, companion: fact.companion)
        case .renewal(let fact):
            linkingIdentifiers = LinkingIdentifiers(appTransactionId: fact.appTransactionId)
        case .notification, .app:
            return nil
        }
        return linkingIdentifiers.isEmpty ? nil : linkingIdentifiers
    }
}

extension CustomerFact {
    var indexTerms: [IndexTerm] {
        switch self {
        case .claim(let claim), .refusedClaim(let claim): [.subscription(claim.key), .claims(of: claim.customer)]
        case .transfer(let transfer): [.subscription(transfer.key), .claims(of: transfer.customer)]
        case .token(let mapping): [.mapping(of: mapping.token), .claims(of: mapping.customer)]
        case .grant(let grant): [.claims(of: grant.customer)]
        case .consent(let consent): [.claims(of: consent.customer)]
        case .download(let claim): [.claims(of: claim.customer), IndexTerm(claim.account)]
        case .directory(.merge(let merge)): [.merges(of: merge.customer), .merges(of: merge.into)]
        case .directory(.unmerge(let unmerge)): [.merges(of: unmerge.customer), .merges(of: unmerge.into)]
        case .directory(.erasure(let erasure)):
            [.merges(of: erasure.customer), .claims(of: erasure.customer), .erasures]
        }
    }
}

extension EventFacts {
    /// The terms of the event, without duplicates.
    package var indexTerms: [IndexTerm] {
        var terms = customerFact?.indexTerms ?? []
        var previous: KeyedObservation?
        for keyed in observations {
            for term in keyed.indexTerms(after: previous) where !terms.contains(term) { terms.append(term) }
            previous = keyed
        }
        return terms
    }
}

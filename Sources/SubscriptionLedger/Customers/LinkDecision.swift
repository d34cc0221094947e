import LedgerModel
import Primitives

/// For whom a posting is, and on whose word.
struct Poster: Sendable {
    let customer: CustomerHandle
    let isAnonymous: Bool
    let role: PostingRole

    var authority: Claim.Authority {
        guard !isAnonymous else { return .anonymous }
        return role == .backend ? .backend : .app
    }
}

/// What is known of a key at the time of a posting, the posting included.
struct ContestedKey {
    let key: SubscriptionKey
    let timeline: Timeline
    let claims: [Claim]
    /// Knows everybody who has to do with the key.
    let roster: CustomerRoster

    var newestClaim: Position? { claims.map(\.position).max() }
}

/// Whether a key becomes the poster's.
///
/// A transaction is the poster's to claim only if its token is the poster's or it has none; and the claim has to win
/// over those there are.
struct LinkDecision {
    enum Verdict: Equatable {
        /// It is the poster's, and the log says so already.
        case stands
        case links
        case refused
    }

    let verdict: Verdict
    /// Tokens that nobody was known by and that are the poster's from now on.
    let newTokens: Set<AppAccountToken>
    /// Why each transaction that is not the poster's to claim is not.
    let objections: [(transaction: PostedTransaction, objection: Objection)]

    init(
        _ transactions: [PostedTransaction], on contested: ContestedKey, by poster: Poster,
        rule: Rules.Customers.ClaimConflict
    ) {
        let screening = Screening(transactions, contested.roster, poster)
        let claim = Claim(key: contested.key, customer: poster.customer, by: poster.authority, position: .max)
        let before = contested.ownership(claims: contested.claims, screening.roster, rule)
        let after = contested.ownership(claims: contested.claims + [claim], screening.roster, rule)
        let isOwner = before.isOwned(by: poster.customer)
        let wins = !screening.claiming.isEmpty && after.isOwned(by: poster.customer)
        newTokens = wins ? screening.newTokens : []
        if wins {
            let own = contested.claims.filter { screening.roster.customer(of: $0.customer) == poster.customer }
            let strongest = own.map { $0.authority(in: screening.roster) }.max()
            verdict = isOwner && strongest.map { $0 >= poster.authority } ?? false ? .stands : .links
        } else {
            verdict = isOwner ? .stands : .refused
        }
        if wins || isOwner {
            // Whoever owns the key keeps it, though its token changed.
            objections = screening.objections.filter { $0.objection == .tokenOfAnother }
                .map { ($0.transaction, .tokenChanged) }
        } else {
            let hadTheToken = screening.claiming.contains { transaction in
                transaction.token.flatMap { screening.roster.customer(of: $0) } == poster.customer
            }
            let lost: Objection = hadTheToken && after.hasTokenConflict ? .tokenChanged : .ownedByAnother
            objections = screening.objections + screening.claiming.map { ($0, lost) }
        }
    }
}

/// Which of the transactions posted for a key the poster may claim it by, before other claims are looked at.
private struct Screening {
    private(set) var claiming: [PostedTransaction] = []
    private(set) var objections: [(transaction: PostedTransaction, objection: Objection)] = []
    private(set) var newTokens: Set<AppAccountToken> = []
    /// With the new tokens.
    private(set) var roster: CustomerRoster

    init(_ transactions: [PostedTransaction], _ roster: CustomerRoster, _ poster: Poster) {
        self.roster = roster
        for transaction in transactions {
            if let objection = screen(transaction, poster) {
                objections.append((transaction, objection))
            } else {
                claiming.append(transaction)
            }
        }
    }

    private mutating func screen(_ transaction: PostedTransaction, _ poster: Poster) -> Objection? {
        guard let token = transaction.token else { return nil }
        if let customer = roster.customer(of: token) { return customer == poster.customer ? nil : .tokenOfAnother }
        // A backend's word makes it the customer's. An app's is not enough: its key is in anybody's hands, and a token
        // outranks every other claim.
        guard poster.role == .backend else { return .tokenOfNobodyKnown }
        if !poster.isAnonymous {
            roster.set(poster.customer, for: token)
            newTokens.insert(token)
        }
        return nil
    }
}

extension ContestedKey {
    fileprivate func ownership(
        claims: [Claim], _ roster: CustomerRoster, _ rule: Rules.Customers.ClaimConflict
    ) -> Ownership {
        // Whatever is known counts: who posts is asked about now, and signing times may run ahead of our clock.
        Ownership(claims: claims, tokens: timeline.tokensThatClaim, at: .latest, roster: roster, rule: rule)
    }
}

/// Why a transaction that was accepted is not the poster's.
enum Objection: Sendable {
    case tokenOfAnother
    case tokenOfNobodyKnown
    case tokenChanged
    case ownedByAnother

    var code: String { self == .tokenChanged ? "tokenConflict" : "linkRefused" }

    func refused(index: Int) -> PostingOutcome.Refused {
        let (reason, advice) =
            switch self {
            case .tokenOfAnother: ("the purchase was made for another customer", Advice.somebodyElses)
            case .tokenOfNobodyKnown:
                ("the purchase was made for somebody who is not known to be this customer", Advice.useTheToken)
            case .tokenChanged:
                ("the purchase was made for one customer and its token changed to another's", Advice.tokenChanged)
            case .ownedByAnother: ("the purchase belongs to another customer", Advice.somebodyElses)
            }
        return PostingOutcome.Refused(index: index, part: nil, code: code, reason: reason, advice: advice)
    }
}

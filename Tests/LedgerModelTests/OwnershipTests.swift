import AppStoreModel
import LedgerModel
import Primitives
import TestSupport
import Testing

private let alice = CustomerHandle(value: 0xA)
private let bob = CustomerHandle(value: 0xB)
private let carol = CustomerHandle(value: 0xC)
private let anonymous = CustomerHandle(value: 0xF)

private let tokenA = appAccountToken("a")
private let tokenB = appAccountToken("b")
private let tokenX = appAccountToken("e")

private func appAccountToken(_ digit: Character) -> AppAccountToken {
    let digits = String(repeating: digit, count: 12)
    let text = "\(digits.prefix(8))-\(digits.prefix(4))-\(digits.prefix(4))-\(digits.prefix(4))-\(digits)"
    guard let token = AppAccountToken(text) else { preconditionFailure("a UUID") }
    return token
}

/// Alice and Bob are known by their tokens; of token X nobody has heard.
private let known = CustomerRoster(merges: [], tokens: [tokenA: alice, tokenB: bob])

private func claim(_ customer: CustomerHandle, _ by: Claim.Authority, at position: Position) -> Claim {
    Claim(key: key, customer: customer, by: by, position: position)
}

/// Tokens as purchases state them, one a minute from minute 0 on.
private func tokens(_ tokens: AppAccountToken...) -> StepField<AppAccountToken> {
    Timeline(
        tokens.enumerated().map { minute, token in
            transaction("\(minute)", minute, minute + 1) { $0.appAccountToken = token.text }
        }
    ).appAccountTokens
}

private func ownership(
    _ claims: [Claim], _ tokens: StepField<AppAccountToken> = tokens(), at t: Instant = .latest,
    roster: CustomerRoster = known, rule: Rules.Customers.ClaimConflict = .keepFirst
) -> Ownership {
    Ownership(claims: claims, tokens: tokens, at: t, roster: roster, rule: rule)
}

struct OwnershipTests {
    /// Each beats the one after it, wherever they stand.
    private static let strengths: [(claims: [Claim], tokens: StepField<AppAccountToken>, owner: Ownership.Owner)] = [
        ([], tokens(tokenA), .customer(alice)),
        ([claim(bob, .backend, at: 7)], tokens(), .customer(bob)),
        ([claim(carol, .app, at: 5)], tokens(), .customer(carol)),
        ([claim(anonymous, .anonymous, at: 3)], tokens(), .customer(anonymous)),
        ([], tokens(tokenX), .bearer(tokenX)),
    ]

    @Test(arguments: 0..<4) func `a stronger claim wins over a weaker one`(strength: Int) {
        for rule in Rules.Customers.ClaimConflict.allCases {
            for weaker in Self.strengths[(strength + 1)...] {
                let stronger = Self.strengths[strength]
                let both = Ownership(
                    claims: stronger.claims + weaker.claims,
                    tokens: StepField(weaker.tokens.steps + stronger.tokens.steps), at: .latest, roster: known,
                    rule: rule)
                #expect(both.owners == [stronger.owner])
            }
        }
    }

    @Test func `nobody owns what nobody claims`() {
        #expect(ownership([]).owners.isEmpty)
        #expect(!ownership([]).hasTokenConflict)
    }

    @Test(arguments: [
        (Rules.Customers.ClaimConflict.keepFirst, [alice]), (.move, [carol]), (.share, [alice, bob, carol]),
    ])
    func `between equal claims the rule decides by their positions`(
        rule: Rules.Customers.ClaimConflict, owners: [CustomerHandle]
    ) {
        let claims = [claim(alice, .app, at: 2), claim(bob, .app, at: 4), claim(carol, .app, at: 8)]
        for claims in [claims, claims.reversed(), [claims[1], claims[2], claims[0]]] {
            #expect(ownership(claims, rule: rule).owners == Set(owners.map(Ownership.Owner.customer)))
        }
    }

    @Test(arguments: [
        (Rules.Customers.ClaimConflict.keepFirst, [alice], true), (.move, [bob], false),
        (.share, [alice, bob], true),
    ])
    func `a changed token moves a key only under move, and else raises a conflict`(
        rule: Rules.Customers.ClaimConflict, owners: [CustomerHandle], isConflict: Bool
    ) {
        let changed = ownership([claim(carol, .backend, at: 1)], tokens(tokenA, tokenB), rule: rule)
        #expect(changed.owners == Set(owners.map(Ownership.Owner.customer)))
        #expect(changed.hasTokenConflict == isConflict)
    }

    @Test func `a token counts from the time it is signed, and the first one before`() {
        let steps = tokens(tokenA, tokenB)
        let owners = [-1, 0, 1].map { ownership([], steps, at: minute($0), rule: .move).owners }
        #expect(owners == [[.customer(alice)], [.customer(alice)], [.customer(bob)]])
        #expect(!ownership([], steps, at: minute(0)).hasTokenConflict)
    }

    @Test func `a token that nobody is known by takes no part once somebody is`() {
        for steps in [tokens(tokenX, tokenB), tokens(tokenB, tokenX)] {
            for rule in Rules.Customers.ClaimConflict.allCases {
                let ownership = ownership([], steps, rule: rule)
                #expect(ownership.owners == [.customer(bob)])
                #expect(!ownership.hasTokenConflict)
            }
        }
    }

    @Test func `a claim is that of the customer it was merged into`() {
        let roster = CustomerRoster(merges: [
            Merge(customer: anonymous, into: carol, position: 9), Merge(customer: carol, into: bob, position: 10),
        ])
        let merged = ownership([claim(anonymous, .anonymous, at: 1)], roster: roster)
        #expect(merged.owners == [.customer(bob)])
    }

    @Test func `an anonymous claim counts, once the customer is known, as one by an app`() {
        let claims = [claim(anonymous, .anonymous, at: 1), claim(bob, .app, at: 2)]
        #expect(ownership(claims).isOwned(by: bob))
        let roster = CustomerRoster(merges: [Merge(customer: anonymous, into: alice, position: 3)])
        #expect(ownership(claims, roster: roster).isOwned(by: alice))
        let byBackend = claims + [claim(bob, .backend, at: 4)]
        #expect(ownership(byBackend, roster: roster).isOwned(by: bob))
    }

    @Test func `of two merges of one customer the first counts`() {
        let merges = [
            Merge(customer: anonymous, into: alice, position: 4), Merge(customer: anonymous, into: bob, position: 6),
        ]
        #expect(CustomerRoster(merges: merges).customer(of: anonymous) == alice)
        #expect(CustomerRoster(merges: merges.reversed()).customer(of: anonymous) == alice)
    }

    @Test func `a circle of merges ends`() {
        let circle = CustomerRoster(merges: [
            Merge(customer: anonymous, into: alice, position: 1), Merge(customer: alice, into: bob, position: 2),
            Merge(customer: bob, into: alice, position: 3),
        ])
        #expect([alice, bob].contains(circle.customer(of: anonymous)))
    }

    @Test func `in which order claims and purchases become known decides nothing`() {
        var random = SeededRandom()
        for _ in 0..<2_000 {
            let customers = [alice, bob, carol, anonymous]
            let claims = (0..<Int.random(in: 0..<5, using: &random)).map { position in
                claim(
                    random.pick(customers), random.pick(Claim.Authority.allCases), at: Position(position))
            }
            let purchases = (0..<Int.random(in: 0..<5, using: &random)).map { number in
                transaction("\(number)", number, number + 1) {
                    $0.appAccountToken = random.pick([tokenA, tokenB, tokenX]).text
                }
            }
            let rule = random.pick(Rules.Customers.ClaimConflict.allCases)
            let first = ownership(claims, Timeline(purchases).appAccountTokens, rule: rule)
            let shuffled = ownership(
                claims.shuffled(using: &random),
                Timeline((purchases + purchases).shuffled(using: &random)).appAccountTokens, rule: rule)
            #expect(first == shuffled, "SUBLEDGER_SEED=\(SeededRandom.seed)")
            #expect(rule == .share || first.owners.count <= 1, "SUBLEDGER_SEED=\(SeededRandom.seed)")
        }
    }
}

struct AppAccountTokenTests {
    @Test func `a token is a UUID in any case`() {
        let token = AppAccountToken("9E6DCA54-0D5A-4E4B-9CEB-F9D7B8B0D2A1")
        #expect(token?.text == "9e6dca54-0d5a-4e4b-9ceb-f9d7b8b0d2a1")
        #expect(token == AppAccountToken("9e6dca54-0d5a-4e4b-9ceb-f9d7b8b0d2a1"))
    }

    @Test(arguments: [
        "", "alice", "9e6dca540d5a4e4b9cebf9d7b8b0d2a1", "9e6dca54-0d5a-4e4b-9ceb-f9d7b8b0d2a",
        "9e6dca54-0d5a-4e4b-9ceb-f9d7b8b0d2ag", "9e6dca5400d5a-4e4b-9ceb-f9d7b8b0d2a1",
        "@e6dca54-0d5a-4e4b-9ceb-f9d7b8b0d2a1", "00000000-0000-0000-0000-000000000000",
    ])
    func `anything else, and the nil UUID, names nobody`(text: String) {
        #expect(AppAccountToken(text) == nil)
    }

    @Test func `purchases without a token, or with another text in it, have none`() {
        let timeline = Timeline([
            transaction("1", 0, 1), transaction("2", 1, 2) { $0.appAccountToken = "user 7" },
            renewalInfo(signed: 3, renewalDate: nil) { $0.appAccountToken = tokenA.text.uppercased() },
        ])
        #expect(timeline.appAccountTokens.steps.map(\.value) == [tokenA])
    }

    @Test func `a key is family shared when a transaction says so`() {
        let shared = transaction("2", 1, 2) { $0.inAppOwnershipType = .familyShared }
        #expect(Timeline([transaction("1", 0, 1), shared]).isFamilyShared)
        #expect(!Timeline([transaction("1", 0, 1)]).isFamilyShared)
    }
}

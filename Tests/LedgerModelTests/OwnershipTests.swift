import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
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

/// A directory in which token A is mapped to Alice and token B to Bob. Token X is mapped to nobody.
private let known = CustomerDirectory(changes: [], tokens: [tokenA: alice, tokenB: bob])

private func claim(_ customer: CustomerHandle, _ by: Claim.Authority, at position: Position) -> Claim {
    Claim(key: key, customer: customer, by: by, position: position)
}

private func merge(
    _ customer: CustomerHandle, _ into: CustomerHandle, _ by: Claim.Authority = .backend, at position: Position
) -> DirectoryChange {
    .merge(Merge(customer: customer, into: into, by: by, position: position))
}

/// Purchases with these tokens, one per minute from minute 0.
private func purchases(_ tokens: AppAccountToken?..., rank: SourceRank = .jws) -> [Observation] {
    tokens.enumerated().map { minute, token in
        transaction("\(minute)", minute, minute + 1, rank: rank) { $0.appAccountToken = token }
    }
}

private func owners(
    _ claims: [Claim] = [], _ purchases: [Observation] = [], transfers: [Transfer] = [], at t: Instant = .latest,
    directory: CustomerDirectory = known, rule: Rules.Customers.ClaimConflict = .keepFirst
) -> Set<Ownership.Owner> {
    let evidence = OwnershipEvidence(key: key, timeline: Timeline(purchases), claims: claims, transfers: transfers)
    return Ownership(evidence, at: t, directory: directory, rule: rule).owners
}

@Suite struct `The owner of a key` {
    /// Evidence in descending strength. Each tier beats the ones after it, regardless of their positions.
    private static let tiers:
        [(claims: [Claim], purchases: [Observation], transfers: [Transfer], owner: Ownership.Owner)] = [
            ([], [], [Transfer(key: key, customer: carol, position: 1)], .customer(carol)),
            ([], purchases(tokenA), [], .customer(alice)),
            ([claim(bob, .backend, at: 7)], [], [], .customer(bob)),
            ([claim(carol, .app, at: 5)], [], [], .customer(carol)),
            ([claim(anonymous, .anonymous, at: 3)], [], [], .customer(anonymous)),
            ([], purchases(tokenB, rank: .verifyReceiptLatest), [], .customer(bob)),
        ]

    @Test(arguments: 0..<6) func `is named by the strongest of transfer, token and claims`(tier: Int) {
        for rule in Rules.Customers.ClaimConflict.allCases {
            for weaker in Self.tiers[tier...] {
                let stronger = Self.tiers[tier]
                let both = owners(
                    stronger.claims + weaker.claims, stronger.purchases + weaker.purchases,
                    transfers: stronger.transfers + weaker.transfers, rule: rule)
                #expect(both == [stronger.owner])
            }
        }
    }

    @Test func `is nobody while a notification of version 1 alone states a token`() {
        #expect(owners([], purchases(tokenB, rank: .notificationV1)).isEmpty)
    }

    @Test func `is nobody while nobody claims it`() {
        #expect(owners().isEmpty)
    }

    @Test func `is the customer of the newest transfer`() {
        let transfers = [
            Transfer(key: key, customer: alice, position: 9), Transfer(key: key, customer: bob, position: 4),
        ]
        #expect(owners(transfers: transfers) == [.customer(alice)])
    }

    @Test(arguments: [
        (Rules.Customers.ClaimConflict.keepFirst, [alice]), (.move, [carol]), (.share, [alice, bob, carol]),
    ])
    func `is chosen among equal claims by the rule and their positions`(
        rule: Rules.Customers.ClaimConflict, expected: [CustomerHandle]
    ) {
        let claims = [claim(alice, .app, at: 2), claim(bob, .app, at: 4), claim(carol, .app, at: 8)]
        for claims in [claims, claims.reversed(), [claims[1], claims[2], claims[0]]] {
            #expect(owners(claims, rule: rule) == Set(expected.map(Ownership.Owner.customer)))
        }
    }

    @Test(arguments: Rules.Customers.ClaimConflict.allCases)
    func `is the newest of anonymous claimants, under every rule`(rule: Rules.Customers.ClaimConflict) {
        let claims = [claim(carol, .anonymous, at: 2), claim(anonymous, .anonymous, at: 4)]
        #expect(owners(claims, rule: rule) == [.customer(anonymous)])
    }

    @Test func `is the token itself where it is mapped to nobody`() {
        #expect(owners([claim(alice, .backend, at: 1)], purchases(tokenX)) == [.bearer(tokenX)])
    }

    /// One step per minute, with its owner.
    @Test func `steps with the tokens, and before the first token with the claims`() {
        let observations = purchases(nil, tokenA, tokenB)
        let steps = (0...2).map { owners([claim(carol, .app, at: 1)], observations, at: minute($0)) }
        #expect(steps == [[.customer(carol)], [.customer(alice)], [.customer(bob)]])
        #expect(owners([], observations, at: minute(0)) == [.customer(alice)], "inferred where nobody claims it")
    }

    @Test func `of a family member's key is never told by a token`() {
        let shared = transaction("1", 0, 1) {
            $0.appAccountToken = tokenA
            $0.inAppOwnershipType = .familyShared
        }
        #expect(owners([], [shared]).isEmpty)
        #expect(owners([claim(bob, .app, at: 1)], [shared]) == [.customer(bob)])
    }

    @Test func `is the customer that the claimant was merged into, until that is undone`() {
        let merges = [merge(anonymous, carol, at: 9), merge(carol, bob, at: 10)]
        let claims = [claim(anonymous, .anonymous, at: 1)]
        #expect(owners(claims, directory: CustomerDirectory(changes: merges)) == [.customer(bob)])
        let undone = DirectoryChange.unmerge(Unmerge(customer: carol, into: bob, position: 12))
        #expect(owners(claims, directory: CustomerDirectory(changes: [undone] + merges)) == [.customer(carol)])
    }

    @Test func `has from the merge on the strength of the key that merged`() {
        let claims = [claim(anonymous, .anonymous, at: 1), claim(bob, .app, at: 2)]
        #expect(owners(claims) == [.customer(bob)])
        let byApp = CustomerDirectory(changes: [merge(anonymous, alice, .app, at: 3)])
        #expect(owners(claims, directory: byApp) == [.customer(bob)], "bob was first with that strength")
        let byBackend = CustomerDirectory(changes: [merge(anonymous, alice, .backend, at: 3)])
        #expect(owners(claims, directory: byBackend) == [.customer(alice)])
        let before = CustomerDirectory(changes: [merge(anonymous, alice, .app, at: 1)])
        #expect(owners([claims[0], claim(bob, .app, at: 4)], directory: before) == [.customer(alice)])
    }

    @Test func `does not depend on the order in which things become known`() {
        var random = SeededRandom()
        for _ in 0..<2_000 {
            let customers = [alice, bob, carol, anonymous]
            let claims = (0..<Int.random(in: 0..<5, using: &random)).map { position in
                claim(random.pick(customers), random.pick(Claim.Authority.allCases), at: Position(position))
            }
            let changes = (0..<Int.random(in: 0..<5, using: &random)).map { number in
                let pair = (random.pick(customers), random.pick(customers))
                let position = Position(10 + number)
                return random.chance(70)
                    ? merge(pair.0, pair.1, random.pick(Claim.Authority.allCases), at: position)
                    : .unmerge(Unmerge(customer: pair.0, into: pair.1, position: position))
            }
            let purchases = (0..<Int.random(in: 0..<5, using: &random)).map { number in
                transaction("\(number / 2)", number, number + 1) {
                    $0.appAccountToken = random.pick([tokenA, tokenB, tokenX])
                }
            }
            let rule = random.pick(Rules.Customers.ClaimConflict.allCases)
            let t = minute(Int.random(in: -1..<6, using: &random))
            let tokens = [tokenA: alice, tokenB: bob]
            let first = owners(
                claims, purchases, at: t, directory: CustomerDirectory(changes: changes, tokens: tokens), rule: rule)
            let shuffled = owners(
                claims.shuffled(using: &random), (purchases + purchases).shuffled(using: &random), at: t,
                directory: CustomerDirectory(changes: (changes + changes).shuffled(using: &random), tokens: tokens),
                rule: rule)
            #expect(first == shuffled, "SUBLEDGER_SEED=\(SeededRandom.seed)")
            #expect(rule == .share || first.count <= 1, "SUBLEDGER_SEED=\(SeededRandom.seed)")
        }
    }
}

@Suite struct `The directory` {
    @Test func `keeps the first of two merges of one customer`() {
        let merges = [merge(anonymous, alice, at: 4), merge(anonymous, bob, at: 6)]
        #expect(CustomerDirectory(changes: merges).customer(of: anonymous) == alice)
        #expect(CustomerDirectory(changes: merges.reversed()).customer(of: anonymous) == alice)
    }

    @Test func `holds no circle, whatever a log holds`() {
        let circle = CustomerDirectory(changes: [
            merge(anonymous, alice, at: 1), merge(alice, bob, at: 2), merge(bob, alice, at: 3), merge(bob, bob, at: 4),
        ])
        #expect(circle.customer(of: anonymous) == bob && circle.customer(of: bob) == bob)
    }

    @Test func `may merge again what was undone`() {
        let undone = DirectoryChange.unmerge(Unmerge(customer: alice, into: bob, position: 2))
        let directory = CustomerDirectory(changes: [merge(alice, bob, at: 1), undone, merge(bob, alice, at: 3)])
        #expect(directory.customer(of: bob) == alice)
        #expect(directory.newestUnmerge(of: alice) == 2 && directory.newestUnmerge(of: bob) == nil)
        let other = DirectoryChange.unmerge(Unmerge(customer: alice, into: carol, position: 2))
        #expect(CustomerDirectory(changes: [merge(alice, bob, at: 1), other]).customer(of: alice) == bob)
    }
}

@Suite struct `Conflicts` {
    private func conflicts(
        _ refused: [Claim], transfers: [Transfer] = [], directory: CustomerDirectory = known
    ) -> Set<CustomerHandle> {
        let evidence = OwnershipEvidence(
            key: key, timeline: Timeline(), claims: [claim(alice, .backend, at: 1)], refusedClaims: refused,
            transfers: transfers)
        let ownership = Ownership(evidence, at: .latest, directory: directory, rule: .keepFirst)
        return Set(OwnershipConflict.conflicts(over: evidence, ownership, directory: directory).map(\.claimant))
    }

    @Test func `are the refused claims of known customers, once for each`() {
        let refused = [claim(bob, .backend, at: 2), claim(bob, .app, at: 3), claim(anonymous, .anonymous, at: 4)]
        #expect(conflicts(refused) == [bob])
    }

    @Test func `end with a transfer, and with a merge of the two`() {
        let refused = [claim(bob, .backend, at: 2)]
        for customer in [alice, bob] {
            #expect(conflicts(refused, transfers: [Transfer(key: key, customer: customer, position: 3)]).isEmpty)
        }
        #expect(conflicts(refused, directory: CustomerDirectory(changes: [merge(bob, alice, at: 3)])).isEmpty)
    }
}

@Suite struct `The steps of the token` {
    private func steps(_ observations: [Observation]) -> [String] {
        AppAccountTokenSteps(Timeline(observations)).steps.map { step in
            "\(step.from.milliseconds / 60_000) \(step.token.text.prefix(1))"
        }
    }

    private func bought(_ id: String, _ start: Int, signed: Int, _ token: AppAccountToken?) -> Observation {
        transaction(id, start, start + 100, signed: signed) { $0.appAccountToken = token }
    }

    @Test func `begin with a new purchase at its purchaseDate`() {
        #expect(steps([bought("1", 10, signed: 12, tokenA), bought("2", 50, signed: 55, tokenB)]) == ["10 a", "50 b"])
    }

    @Test func `begin at the purchaseDate although a receipt, which states no tokens, came first`() {
        let receipt = transaction("1", 10, 110, rank: .receiptFile)
        #expect(steps([receipt, bought("1", 10, signed: 50, tokenA)]) == ["10 a"])
    }

    @Test func `begin with a token that is set later at its signing`() {
        #expect(steps([bought("1", 10, signed: 12, tokenA), bought("1", 10, signed: 20, tokenB)]) == ["10 a", "20 b"])
        #expect(steps([bought("1", 10, signed: 12, nil), bought("1", 10, signed: 20, tokenB)]) == ["20 b"])
    }

    @Test func `are not moved by a later copy of an old purchase`() {
        let copies = [bought("1", 10, signed: 12, tokenA), bought("1", 10, signed: 90, tokenA)]
        #expect(steps(copies + [bought("2", 50, signed: 55, tokenB)]) == ["10 a", "50 b"])
        // First seen with its refund, long after the purchase.
        #expect(steps([bought("1", 10, signed: 90, tokenA), bought("2", 50, signed: 55, tokenB)]) == ["10 a", "50 b"])
    }

    @Test func `begin with a renewal info at its signing`() {
        let info = renewalInfo(signed: 30, renewalDate: nil) {
            $0.appAccountToken = AppAccountToken(tokenB.text.uppercased())
        }
        #expect(steps([bought("1", 10, signed: 12, tokenA), info]) == ["10 a", "30 b"])
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

    @Test func `a key is family shared when a transaction says so`() {
        let shared = transaction("2", 1, 2) { $0.inAppOwnershipType = .familyShared }
        #expect(Timeline([transaction("1", 0, 1), shared]).isFamilyShared)
        #expect(!Timeline([transaction("1", 0, 1)]).isFamilyShared)
    }
}

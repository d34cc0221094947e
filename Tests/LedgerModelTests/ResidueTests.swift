import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import Testing

@Suite struct `The residue of erased evidence` {
    private static let recordedAt = Instant(milliseconds: 8)

    /// Facts about downloads have timelines of their own; all others are about subscriptions.
    private static func observations(_ count: Int, _ random: inout SeededRandom) -> [KeyedObservation] {
        var found: [KeyedObservation] = []
        while found.count < count {
            let keyed = random.anyObservation()
            let isAboutDownload = if case .app = keyed.observation.fact { true } else { false }
            let hasAccount = if case .appAccount = keyed.key { true } else { false }
            if isAboutDownload == hasAccount { found.append(keyed) }
        }
        return found
    }

    private static func readAgain(_ line: ResidueLine) -> ResidueLine? {
        ResidueLine(line.bytes.dropLast(), position: 7, recordedAt: recordedAt)
    }

    @Test func `gives back every fact, byte for byte`() throws {
        var random = SeededRandom()
        for _ in 0..<2_000 {
            let facts = Self.observations(Int.random(in: 0...3, using: &random), &random)
            let line = ResidueLine(position: 7, bundleId: random.chance(50) ? "com.example.app" : nil, facts: facts)
            let again = try #require(Self.readAgain(line), "seed \(SeededRandom.seed)")
            #expect(again == line, "seed \(SeededRandom.seed)")
            #expect(again.facts.map(FactCodec.encode) == facts.map(FactCodec.encode), "seed \(SeededRandom.seed)")
            #expect(again.bytes == line.bytes && !line.bytes.dropLast().contains(UInt8(ascii: "\n")))
        }
    }

    @Test func `is of one event`() throws {
        var random = SeededRandom()
        let line = ResidueLine(position: 7, bundleId: nil, facts: Self.observations(1, &random))
        #expect(ResidueLine(Array(line.bytes.dropLast()), position: 8, recordedAt: Self.recordedAt) == nil)
    }

    @Test func `refuses members of other types, and facts without their names`() {
        let good =
            #"{"facts":[{"bundleId":"app","environment":"Production","kind":"renewalInfo","observedAt":1,"#
            + #""originalTransactionId":"1","rank":5,"statedBy":"\#(String(repeating: "0f", count: 32))"}],"position":7}"#
        #expect(ResidueLine(Array(good.utf8), position: 7, recordedAt: Self.recordedAt)?.facts.count == 1)
        for (part, other) in [
            (#""kind":"renewalInfo""#, #""kind":"refund""#), (#""rank":5"#, #""rank":9"#),
            (#""rank":5"#, #""rank":300"#),
            (#""observedAt":1"#, #""observedAt":"now""#), (#""originalTransactionId":"1","#, ""),
            (#""rank":5"#, #""rank":5,"autoRenewStatus":"on""#), (#""rank":5"#, #""rank":5,"appAccountToken":"none""#),
            (#""rank":5"#, #""rank":5,"eligibleWinBackOfferIds":[1]"#), (#""position":7"#, #""position":"7""#),
        ] {
            let bad = good.replacing(part, with: other)
            #expect(ResidueLine(Array(bad.utf8), position: 7, recordedAt: Self.recordedAt) == nil, "\(other)")
        }
    }

    @Test func `differs from the facts only in the token and the Apple account`() throws {
        var random = SeededRandom()
        var (tokens, accounts) = (0, 0)
        for keyed in Self.observations(2_000, &random) {
            let token = keyed.observation.fact.appAccountToken
            let account = keyed.appleAccount
            let pseudonyms = Pseudonyms(
                without: Set([token].compactMap(\.self)),
                accounts: account.map { [$0: AppleID("1234567890")] } ?? [:])
            let changed = pseudonyms.applied(to: keyed)
            #expect(changed.observation.fact.appAccountToken == nil)
            #expect(changed.appleAccount == nil || account != nil)
            if token != nil { tokens += 1 }
            if let account {
                accounts += 1
                let other = try #require(changed.appleAccount)
                #expect(other.account == .appTransaction("1234567890") && other.bundleId == account.bundleId)
            }
            let untouched = Pseudonyms(without: [], accounts: [:])
            #expect(untouched.applied(to: keyed) == keyed)
            // With the token and the account put back, the fact is the same.
            #expect(changed.restoring(from: keyed) == keyed, "seed \(SeededRandom.seed)")
        }
        #expect(tokens > 200 && accounts > 200)
    }
}

extension KeyedObservation {
    /// The observation with the token and the Apple account of another.
    fileprivate func restoring(from other: KeyedObservation) -> KeyedObservation {
        let fact: Fact =
            switch (observation.fact, other.observation.fact) {
            case (.transaction(var fact), .transaction(let original)):
                {
                    (fact.appAccountToken, fact.appTransactionId) = (
                        original.appAccountToken, original.appTransactionId
                    )
                    return .transaction(fact)
                }()
            case (.renewal(var fact), .renewal(let original)):
                {
                    (fact.appAccountToken, fact.appTransactionId) = (
                        original.appAccountToken, original.appTransactionId
                    )
                    return .renewal(fact)
                }()
            default: observation.fact
            }
        let isAccount = if case .appAccount = key { true } else { false }
        return KeyedObservation(
            key: isAccount ? other.key : key, observation: Observation(source: observation.source, fact: fact))
    }
}

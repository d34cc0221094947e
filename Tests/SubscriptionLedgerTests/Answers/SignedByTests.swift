import AppStoreModel
import AppStoreSimulation
import Churn
import EventLog
import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `Answers from what Apple signed by an instant` {
    private static let simulated = SimulatedHistory.first

    /// The artifacts signed by an instant. Of a notification that is signed later, the parts that are older: a retry
    /// carries the statements of the first delivery.
    private static func jws(signedBy t: Instant) throws -> [[UInt8]] {
        try simulated.artifacts.flatMap { artifact in
            try signedDate(artifact.jws) <= t
                ? [artifact.jws] : artifact.parts.filter { try signedDate($0) <= t }
        }
    }

    private static func signedDate(_ jws: [UInt8]) throws -> Instant {
        let payload = try #require(jws.split(separator: UInt8(ascii: ".")).dropFirst().first)
        let bytes = try #require(Base64URL.decode(String(decoding: payload, as: UTF8.self)))
        let view = try JSONDocument(parsing: bytes).root
        let date = view["signedDate"] ?? view["receiptCreationDate"]
        return Instant(milliseconds: try #require(date?.integer))
    }

    private static func ledger(_ jws: [[UInt8]]) async throws -> ScratchLedger {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(jws)
        return scratch
    }

    private func text(_ answer: JSONValue?) -> String? {
        guard case .object(let members)? = answer else { return nil }
        return JSONValue.object(members.filter { !["signedBy", "signedLater"].contains($0.key) }).apartFromPositions
    }

    @Test func `are those of a ledger without what was signed later`() async throws {
        let whole = try await Self.ledger(Self.simulated.jws)
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        for signedBy in Self.simulated.instants(3, &generator) {
            let earlier = try await Self.ledger(Self.jws(signedBy: signedBy))
            for asOf in [signedBy, Self.simulated.history.truth.knownUntil] {
                let plain = AsOfQuery(asOf: asOf)
                var asked = plain
                asked.signedBy = signedBy
                let comment = Comment(rawValue: "seed \(TestEnvironment.seed), signed by \(signedBy), as of \(asOf)")
                for id in Self.simulated.originalTransactionIds {
                    let selector = SubscriptionSelector(originalTransactionId: id)
                    let (reader, other) = (whole.ledger.reader, earlier.ledger.reader)
                    let state = try reader.state(of: selector, asked)
                    if let expected = try other.state(of: selector, plain) {
                        #expect(text(state?.json) == text(expected.json), comment)
                        let history = try reader.history(of: selector, asked)?.json
                        #expect(text(history) == text(try other.history(of: selector, plain)?.json), comment)
                    } else {
                        #expect(state?.subscriptions.isEmpty == true, comment)
                    }
                }
                let pairs: [(any LedgerAnswer, any LedgerAnswer)] = try [
                    (
                        whole.ledger.reader.cohorts(AnalysisQuery(asked)),
                        earlier.ledger.reader.cohorts(AnalysisQuery(plain))
                    ),
                    (
                        whole.ledger.reader.revenue(AnalysisQuery(asked)),
                        earlier.ledger.reader.revenue(AnalysisQuery(plain))
                    ),
                    (
                        whole.ledger.reader.churn(.churned, AnalysisQuery(asked)),
                        earlier.ledger.reader.churn(.churned, AnalysisQuery(plain))
                    ),
                ]
                for (found, expected) in pairs { #expect(text(found.json) == text(expected.json), comment) }
            }
        }
    }

    @Test func `count the purchases and refunds that were signed later only`() async throws {
        let shop = try TestLedger()
        // The first is signed hours after its purchase.
        let (late, punctual) = (Purchase("1", copy: 20), Purchase("2"))
        try await shop.post(late, punctual, customerId: "alice")
        let reader = shop.reader
        var question = AsOfQuery(asOf: TestLedger.now)
        question.signedBy = Instant(milliseconds: punctual.signedAt + 3_600_000)
        let signed = SignedBy(try #require(question.signedBy), signedLater: 1)
        let early = try reader.customer("alice", question)
        #expect(early.signed == signed)
        #expect(early.subscriptions.map(\.id.originalTransactionId) == ["2"])
        #expect(try reader.state(ofCustomer: "alice", question).signed == signed)
        #expect(try reader.history(ofCustomer: "alice", question).signed == signed)
        #expect(try reader.offers(forCustomer: "alice", question).signed == signed)
        #expect(try reader.charges(AnalysisQuery(question)).signed == signed)
        question.signedBy = Instant(milliseconds: late.signedAt)
        let all = try reader.customer("alice", question)
        #expect(all.signed?.signedLater == 0)
        #expect(all.subscriptions.count == 2)
        // An answer without the restriction does not come from one with it, nor has its members.
        question.signedBy = nil
        let plain = try reader.customer("alice", question)
        #expect(plain.signed == nil)
        #expect(!plain.json.serialized().contains("signed"))
    }
}

import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `A remembered answer` {
    /// Answers known at a size are not cached, so they are always computed again.
    @Test func `is the one that is gathered anew, whatever was asked before and has come since`() async throws {
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        let simulated = SimulatedHistory.first
        let tokens = simulated.appAccountTokens
        try #require(tokens.count > 20)
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        let jws = simulated.jws.shuffled(using: &generator)
        var answers: Set<String> = []
        let parts = 5
        for part in 0..<parts {
            try await scratch.ingestInBulk(Array(jws[jws.count * part / parts..<jws.count * (part + 1) / parts]))
            let ledger = scratch.ledger
            for token in tokens {
                for instant in simulated.instants(2, &generator).flatMap(Self.further) {
                    let answer = try ledger.reader.customer(token, AsOfQuery(asOf: instant)).json
                    let size = try ledger.reader.log.size()
                    let recomputed = try ledger.reader.customer(token, AsOfQuery(asOf: instant, knownAt: .size(size)))
                        .json
                    #expect(
                        answer == recomputed,
                        "SUBLEDGER_SEED=\(TestEnvironment.seed), \(token) at \(instant), part \(part)")
                    answers.insert(answer.serialized())
                }
            }
        }
        #expect(answers.count > tokens.count * 8)
    }

    /// Returns instants at small and large distances, so that some are after the end of a state.
    private static func further(from instant: Instant) -> [Instant] {
        let minute: Int64 = 60_000
        return [-1, 0, 1, minute, 4 * minute, 6 * minute, 59 * minute, 61 * minute, 1_500 * minute, 30_000 * minute]
            .map { instant.advanced(byMilliseconds: $0) }
    }
}

extension SimulatedHistory {
    /// The tokens of the customers that have one.
    fileprivate var appAccountTokens: [String] {
        let payloads = artifacts.flatMap(\.parts).compactMap { part -> JSONDocument? in
            guard let payload = part.split(separator: UInt8(ascii: ".")).dropFirst().first else { return nil }
            return Base64URL.decode(String(decoding: payload, as: UTF8.self)).flatMap { try? JSONDocument(parsing: $0) }
        }
        return Set(payloads.compactMap { $0.root["appAccountToken"]?.string }).sorted()
    }
}

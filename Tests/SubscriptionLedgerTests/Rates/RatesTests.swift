import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `Applied exchange rates` {
    private static let text = """
        version: 1
        currency: USD
        rates: [{day: 2026-01-02, of: EUR, rate: "1.5"}]  # a round number

        """

    private func rates(_ text: String) throws -> RatesFile { try RatesFile(text: text, name: "rates.yaml") }

    @Test func `are an event with the text of the file, and pass the audit`() async throws {
        let shop = try TestLedger()
        let answer = try await shop.ledger.apply(try rates(Self.text))
        #expect(answer.applied == true && answer.knownAt == 1)
        let record = try #require(try shop.events().first)
        #expect(record.kind == .ratesChanged && record.artifact == .yaml && record.trust == .own)
        let digest = Digest.sha256(of: Self.text.utf8)
        #expect(String(decoding: record.body, as: UTF8.self) == #"{"currency":"USD","digest":"\#(digest.hex)"}"#)
        #expect(try shop.reader.evidence(at: 0)?.bytes == Array(Self.text.utf8))
        shop.close()
        let report = try await LedgerAudit(
            Ledger.Configuration(folder: shop.folder) { .latest }, LedgerAudit.Options()
        ).run { _ in }
        #expect(report.firstBad == nil)
    }

    @Test func `are added to those before, and count from their event on, also after a restart`() async throws {
        let shop = try TestLedger()
        let later = Self.text.replacing("1.5", with: "1.25")
        let other = Self.text.replacing("2026-01-02", with: "2026-01-20")
        for (text, isEvent) in [
            (Self.text, true), (Self.text + "# more words", false), (later, true), (other, true), (later, false),
            (Self.text, true),
        ] {
            #expect(try await shop.ledger.apply(try rates(text)).applied == isEvent)
        }
        try shop.reopen()
        let row = RatesRow(
            currency: "USD", of: "EUR", days: 2, firstDay: "2026-01-02", lastDay: "2026-01-20", rate: "1.5",
            holes: ["2026-01-02/2026-01-20"])
        #expect(try shop.reader.rates().rates == [row])
        #expect(try shop.reader.rates(.size(2)).rates.map(\.rate) == ["1.25"])
        #expect(try shop.reader.rates(.size(0)).rates.isEmpty)
    }

    /// Rounds half to even.
    private static func oneAndAHalfTimes(_ amount: Int64) -> Int64 {
        let floor = (amount * 3) >> 1
        return (amount * 3).isMultiple(of: 2) ? floor : floor + (floor & 1)
    }

    @Test func `convert what is not in the currency, and count what they cannot convert`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(SimulatedHistory.first.jws)
        let reader = scratch.ledger.reader
        var asked = AnalysisQuery(AsOfQuery(asOf: SimulatedHistory.first.history.truth.knownUntil))
        let own = try reader.charges(asked).rows
        let euros = own.filter { $0.currency == "EUR" }
        let day = try #require(euros.map { UTCDay(of: $0.saleAt) }.sorted().dropFirst(euros.count / 2).first)
        let text = Self.text.replacing("2026-01-02", with: "\(day)")
        let size = try reader.log.size()
        let applied = try await scratch.ledger.apply(try rates(text))
        asked.currency = "USD"

        let converted = try reader.charges(asked).rows
        #expect(converted.count == own.count)
        var counts = (same: 0, converted: 0, unknown: 0)
        for (before, after) in zip(own, converted) {
            #expect(after.currency == "USD" && after.at == before.at)
            if before.currency == "USD" {
                #expect(after == before)
                counts.same += 1
                continue
            }
            if before.amount == 0 {
                #expect(after.amount == 0 && after.exchange == nil)
                continue
            }
            let age = UTCDay(of: before.saleAt).days(since: day)
            if before.currency == "EUR", (0...7).contains(age) {
                // A credit or a prorated refund is a fraction, which is converted before it is rounded.
                let isFraction = before.kind != "sale"
                #expect(
                    isFraction
                        ? abs((after.amount ?? 0) * 2 - (before.amount ?? 0) * 3) <= 2
                        : after.amount == before.amount.map(Self.oneAndAHalfTimes))
                #expect(
                    after.exchange
                        == ExchangeRow(of: "EUR", rate: "1.5", day: "\(day)", position: applied.newest?.position))
                counts.converted += 1
            } else {
                #expect(after.amount == nil && after.proceedsBeforeTax == nil)
                #expect(after.exchange == ExchangeRow(of: before.currency, rate: nil, day: nil, position: nil))
                counts.unknown += 1
            }
        }
        #expect(counts.same > 0 && counts.converted > 0 && counts.unknown > 0)

        let revenue = try reader.revenue(asked).rows
        #expect(Set(revenue.map(\.currency)) == ["USD", nil])
        #expect(revenue.map(\.unknownRate).reduce(0, +) == counts.unknown)
        #expect(revenue.map(\.net).reduce(0, +) == converted.compactMap(\.amount).reduce(0, +))
        let spans = revenue.flatMap { $0.exchanges ?? [] }
        #expect(spans.allSatisfy { $0.of == "EUR" && $0.firstDay == "\(day)" && $0.lastDay == "\(day)" })
        #expect(spans.map(\.movements).reduce(0, +) == counts.converted)

        // Before the event there is no rate at all.
        asked.question.knownAt = .size(size)
        #expect(try reader.charges(asked).rows.allSatisfy { ($0.amount == nil) == ($0.exchange != nil) })
        let recurring = try reader.recurringRevenue(asked).rows
        #expect(Set(recurring.map(\.currency)) == ["USD", nil])
        #expect(recurring.contains { $0.unknownPrice > 0 })
        asked.currency = "DOLLAR"
        #expect(throws: DefinitionUnknown.self) { try reader.revenue(asked) }
    }

    @Test func `that are missing make nobody leave or come back`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(SimulatedHistory.first.jws)
        var asked = AnalysisQuery(AsOfQuery(asOf: SimulatedHistory.first.history.truth.knownUntil))
        func changes(_ kinds: Set<String>) throws -> [String: Int64] {
            var sums: [String: Int64] = [:]
            for change in try scratch.ledger.reader.recurringRevenue(asked).rows.flatMap(\.changes)
            where kinds.contains(change.kind) {
                sums[change.kind, default: 0] += change.amount
            }
            return sums
        }
        let kinds: Set = ["new", "churned", "reactivated", "recovered"]
        let dollars = try scratch.ledger.reader.recurringRevenue(asked).rows.filter { $0.currency == "USD" }
            .flatMap(\.changes).filter { kinds.contains($0.kind) }
        asked.currency = "USD"
        let converted = try changes(kinds)
        for kind in kinds {
            let own = dollars.filter { $0.kind == kind }.reduce(0) { $0 + $1.amount }
            // A subscriber whose other purchases have no rate counts as moved.
            #expect(abs(converted[kind] ?? 0) <= abs(own), "\(kind)")
        }
        #expect(dollars.contains { $0.amount != 0 })
    }
}

import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionStatus
import Testing

/// A renewal info counts for the one purchase whose end its renewalDate joins (domain rules §4).
@Suite struct `A renewal info` {
    @Test func `changes no row in which another purchase gives the product`() {
        var generator = SeededRandom()
        var (asked, changed, failures) = (0, 0, 0)
        for number in 0..<2_500 {
            let world = generator.world(of: 1...1)
            guard let index = joiningRenewalInfos(of: world).randomElement(using: &generator),
                case .renewal(let renewalInfo) = world.observations[index].1.fact,
                let renewalDate = renewalInfo.renewalDate
            else { continue }
            var without = world
            without.observations.remove(at: index)
            let (folds, rules) = ([world, without].map(\.lineages), world.rules)
            for t in Set(folds.flatMap { $0.turningPoints(rules: rules) }) {
                let rows = folds.map { $0.states(at: t, rules: rules).first.map(Answer.init) }
                // The renewal info may decide which purchase gives the product, and then the rows have different
                // periods.
                guard let row = rows[0], let other = rows[1], row.period == other.period, row.transactionId != nil
                else { continue }
                asked += 1
                let isAboutRow = ends(of: row, in: world).contains {
                    abs($0.milliseconds - renewalDate.milliseconds) <= 1_000
                }
                // A renewal info about the purchase that begins at this one's end shows that the renewal is charged.
                let isAboutRenewal = isRenewal(of: row, endingAt: renewalDate, in: world)
                let ignored = ignored(row, renewalDate, world)
                    .union(isAboutRenewal ? ["willRenew", "pendingProductId", "autoRenewOffSince", "inferred"] : [])
                let differences = row.differences(from: other, except: ignored)
                guard !differences.isEmpty else { continue }
                guard !isAboutRow else {
                    changed += 1
                    continue
                }
                failures += 1
                guard failures <= 4 else { continue }
                Issue.record(
                    """
                    seed \(SeededRandom.seed), world \(number), t \(t.milliseconds)
                    \(differences.joined(separator: "\n"))
                    without signed \(world.observations[index].1.source.time.milliseconds) \(renewalInfo)
                    \(world.text)
                    """)
            }
        }
        print("rows seen: \(asked), changed by their own \(changed), by another \(failures)")
        #expect(changed > 500)
        #expect(failures == 0)
    }

    /// The indices of renewal infos whose renewalDate is a known end. They extend and imply no period.
    private func joiningRenewalInfos(of world: World) -> [Int] {
        let ends = world.observations.compactMap { _, observation -> Instant? in
            guard case .transaction(let fact) = observation.fact, fact.type != .nonConsumable else { return nil }
            return fact.purchaseDate == nil ? nil : fact.expiresDate
        }
        let carried = world.observations.compactMap { _, observation -> Digest? in
            guard case .notification(let fact) = observation.fact else { return nil }
            return fact.signedRenewalInfo
        }
        return world.observations.indices.filter { index in
            // A status counts for the period of the renewal info in its notification.
            guard !carried.contains(world.observations[index].1.source.name.digest) else { return false }
            guard case .renewal(let fact) = world.observations[index].1.fact, let date = fact.renewalDate else {
                return false
            }
            return ends.contains { abs($0.milliseconds - date.milliseconds) <= 1_000 }
        }
    }

    /// Whether a purchase begins at the end of the row and ends at `renewalDate`.
    private func isRenewal(of row: Answer, endingAt renewalDate: Instant, in world: World) -> Bool {
        guard let end = row.expiresAt else { return false }
        func isSame(_ one: Instant?, _ other: Instant) -> Bool {
            one.map { abs($0.milliseconds - other.milliseconds) <= 1_000 } ?? false
        }
        return world.observations.contains { _, observation in
            guard case .transaction(let fact) = observation.fact else { return false }
            return isSame(fact.purchaseDate, end) && isSame(fact.expiresDate, renewalDate)
        }
    }

    /// Every stated end of the purchase of a row.
    private func ends(of row: Answer, in world: World) -> [Instant] {
        let copies = world.observations.compactMap { _, observation -> TransactionFact? in
            guard case .transaction(let fact) = observation.fact else { return nil }
            return fact
        }
        let items = copies.filter { $0.transactionId.text == row.transactionId }.map(\.webOrderLineItemId)
        return copies.filter { copy in
            copy.transactionId.text == row.transactionId
                || copy.webOrderLineItemId.map { items.contains($0) } ?? false
        }.compactMap(\.expiresDate)
    }

    /// The fields to ignore. Disagreements belong to other instants too. Access lasts through renewals already charged,
    /// so their renewal infos change accessUntil.
    private func ignored(_ row: Answer, _ renewalDate: Instant, _ world: World) -> Set<String> {
        let isLater = row.expiresAt.map { renewalDate > $0 } ?? false
        return isLater ? ["disagreement", "accessUntil", "inferred"] : ["disagreement"]
    }
}

import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionStatus
import Testing

/// Apple adds values to its enumerations. An unknown value never counts for more than a missing one. It never grants
/// access that the known value denies, except as stated below.
@Suite struct `An unknown value` {
    /// The replacement of one of Apple's values by an unknown one, and by none.
    struct Replacement: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether the unknown value may grant access that the known one denied, if a missing value does so too.
        var mayEqualSilence = false
        let unknown: @Sendable (Fact) -> Fact?
        let silent: @Sendable (Fact) -> Fact?
    }

    static func revoked(
        _ name: String, _ unknown: @escaping @Sendable (inout TransactionFact.Revocation) -> Void,
        silent: @escaping @Sendable (inout TransactionFact.Revocation) -> Void
    ) -> Replacement {
        @Sendable func changed(_ fact: Fact, _ change: (inout TransactionFact.Revocation) -> Void) -> Fact? {
            guard case .transaction(var fact) = fact, var revocation = fact.revocation else { return nil }
            change(&revocation)
            fact.revocation = revocation
            return .transaction(fact)
        }
        return Replacement(
            testDescription: name, unknown: { changed($0, unknown) }, silent: { changed($0, silent) })
    }

    static func renewing(
        _ name: String, mayEqualSilence: Bool = false,
        _ unknown: @escaping @Sendable (inout RenewalFact) -> Bool,
        silent: @escaping @Sendable (inout RenewalFact) -> Void
    ) -> Replacement {
        Replacement(testDescription: name, mayEqualSilence: mayEqualSilence) { fact in
            guard case .renewal(var fact) = fact, unknown(&fact) else { return nil }
            return .renewal(fact)
        } silent: { fact in
            guard case .renewal(var fact) = fact else { return nil }
            silent(&fact)
            return .renewal(fact)
        }
    }

    static let replacements = [
        revoked(
            "revocationReason", { $0.revocationReason = .init(rawValue: 99) }, silent: { $0.revocationReason = nil }),
        revoked("revocationType", { $0.revocationType = .init(rawValue: "SEAT") }, silent: { $0.revocationType = nil }),
        Replacement(testDescription: "offerType") { fact in
            guard case .transaction(var fact) = fact, fact.offer != nil else { return nil }
            fact.offer?.offerType = .init(rawValue: 99)
            return .transaction(fact)
        } silent: { fact in
            guard case .transaction(var fact) = fact else { return nil }
            fact.offer = nil
            return .transaction(fact)
        },
        // An unknown status states nothing, so a renewal that it would have ended is still awaited.
        Replacement(testDescription: "status", mayEqualSilence: true) { fact in
            guard case .notification(var fact) = fact, fact.status != nil else { return nil }
            fact.status = .init(rawValue: 99)
            return .notification(fact)
        } silent: { fact in
            guard case .notification(var fact) = fact else { return nil }
            fact.status = nil
            return .notification(fact)
        },
        // Only a known off ends leeway and retry (§5: "auto-renew is not known to be off").
        renewing("autoRenewStatus", mayEqualSilence: true) { fact in
            guard fact.autoRenewStatus != nil else { return false }
            fact.autoRenewStatus = .init(rawValue: 99)
            return true
        } silent: {
            $0.autoRenewStatus = nil
        },
        renewing("expirationIntent") { fact in
            guard fact.expirationIntent != nil else { return false }
            fact.expirationIntent = .init(rawValue: 99)
            return true
        } silent: {
            $0.expirationIntent = nil
        },
    ]

    @Test(arguments: replacements)
    func `never opens access`(replacement: Replacement) {
        var generator = SeededRandom()
        var (asked, exceptions, failures) = (0, 0, 0)
        for number in 0..<(TestEnvironment.isLong ? 3_000 : 500) {
            let world = generator.world(of: 1...1)
            guard
                let index = world.observations.indices.filter({
                    replacement.unknown(world.observations[$0].1.fact) != nil
                }).randomElement(using: &generator)
            else { continue }
            let unknown = changed(world, at: index, replacement.unknown)
            let silent = changed(world, at: index, replacement.silent)
            let folds = [world, unknown, silent].map(\.lineages)
            let points = folds.flatMap { $0.turningPoints(rules: world.rules) }.sorted()
            for t in points {
                let rows = folds.map { $0.states(at: t, rules: world.rules).first }
                let access = rows.map { $0?.access ?? .none }
                asked += 1
                guard access[0] == .none, access[1] != .none else { continue }
                let isExcepted =
                    replacement.mayEqualSilence && access[2] != .none
                    || isReplacedWithinAMinute(rows[0], world, at: t)
                guard !isExcepted else {
                    exceptions += 1
                    continue
                }
                failures += 1
                guard failures <= 4 else { continue }
                Issue.record(
                    """
                    seed \(SeededRandom.seed), world \(number), t \(t.milliseconds): \(rows.map { $0?.decision })
                    observation \(world.observations[index].1.fact)
                    \(world.text)
                    """)
            }
        }
        print("\(replacement.testDescription) seen: \(asked), exceptions \(exceptions), failures \(failures)")
        #expect(asked > 1_000)
        #expect(failures == 0)
    }

    private func changed(_ world: World, at index: Int, _ change: (Fact) -> Fact?) -> World {
        var world = world
        let observation = world.observations[index].1
        world.observations[index].1 = observation.stating(change(observation.fact) ?? observation.fact)
        return world
    }

    /// Whether a successor starts within 60 s of the revocationDate. By §4 a revocation for a reason other than a
    /// refund then counts from the successor's start.
    private func isReplacedWithinAMinute(_ row: SubscriptionState?, _ world: World, at t: Instant) -> Bool {
        guard let revokedAt = row?.revokedAt else { return false }
        return world.observations.contains { _, observation in
            guard case .transaction(let fact) = observation.fact, let start = fact.purchaseDate else { return false }
            return start > t && start <= revokedAt.advanced(byMilliseconds: 60_000)
        }
    }
}

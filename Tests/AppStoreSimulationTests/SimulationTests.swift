import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

@Suite("Simulation")
struct SimulationTests {
    static let seed = testSeed()
    static let history = Simulation(seed: seed).run()

    @Test func `every kind of change occurs`() {
        for kind in ChangeKind.allCases { print("\(kind): \(Self.history.counts[kind] ?? 0)") }
        for offset: UInt64 in 0..<20 {
            let seed = Self.seed &+ offset
            let counts = Simulation(seed: seed, customers: 60).run().counts
            #expect(counts.filter { $0.value == 0 }.isEmpty, "seed \(seed)")
        }
    }

    @Test func `a seed replays to the same signed bytes`() {
        let signer = JWSSigner()
        let again = Simulation(seed: Self.seed).run()
        #expect(again.artifacts.count == Self.history.artifacts.count)
        for (first, second) in zip(Self.history.artifacts, again.artifacts).prefix(300) {
            let (one, other) = (signer.sign(first), JWSSigner().sign(second))
            #expect(one.jws.compact == other.jws.compact, "seed \(Self.seed)")
            #expect(one.transaction?.compact == other.transaction?.compact)
            #expect(one.renewalInfo?.compact == other.renewalInfo?.compact)
        }
        let rows = Self.history.truth.rows(at: Simulation().end)
        #expect(rows == again.truth.rows(at: Simulation().end))
        #expect(!rows.isEmpty)
        #expect(Simulation(seed: Self.seed &+ 1).run().truth.rows(at: Simulation().end) != rows)
    }

    @Test func `some upgrades are marked and some never`() {
        let upgrades = Self.history.changes.filter { [.upgrade, .upgradeAfterCharge].contains($0.kind) }
        let marks = Self.history.changes.filter { $0.kind == .upgradeMark }
        let marked = upgrades.filter { upgrade in
            marks.contains { $0.originalTransactionId == upgrade.originalTransactionId && $0.date == upgrade.date }
        }
        #expect(marked.count > 5 && upgrades.count - marked.count > 5)
    }

    @Test func `the history of a customer does not depend on how many others there are`() {
        let few = Simulation(seed: Self.seed, customers: 5).run().changes.filter { $0.customer == 3 }
        let many = Self.history.changes.filter { $0.customer == 3 }
        #expect(few.map(\.kind) == many.map(\.kind))
        #expect(few.map(\.signedDate) == many.map(\.signedDate))
        #expect(!few.isEmpty)
    }

    @Test func `what is signed has the fields of its kind`() throws {
        let readings = try Reading.all(of: Self.history)
        #expect(readings.count == Self.history.artifacts.count)
        let uuids = readings.filter { $0.artifact.change != .notificationRetry }
            .compactMap { $0.notification?.notificationUUID }
        #expect(Set(uuids).count == uuids.count)
        #expect(Set(readings.map(\.artifact.kind)) == Set(StoreArtifact.Kind.allCases))
        for reading in readings where reading.artifact.customer != nil || reading.artifact.change == .test {
            if let notification = reading.notification {
                #expect(notification.signedDate == reading.artifact.signedDate)
                #expect(notification.version == "2.0")
                #expect(notification.bundleId == "com.example.app")
                #expect(notification.environment == .production)
                #expect(notification.appAppleId == 1_234_567_890)
                #expect(notification.notificationType == reading.artifact.notificationType)
            }
            if let transaction = reading.transaction {
                #expect(transaction.bundleId == "com.example.app")
                #expect(transaction.environment == .production)
                let isRetry = reading.artifact.change == .notificationRetry
                #expect(isRetry || transaction.signedDate == reading.artifact.signedDate)
                #expect(transaction.originalTransactionId == reading.artifact.originalTransactionId)
                #expect((transaction.type == .autoRenewable) == (transaction.expiresDate != nil))
                #expect((transaction.price == nil) == (transaction.inAppOwnershipType == .familyShared))
                #expect(transaction.offerType != .introductory || transaction.offerIdentifier == nil)
            }
            if let renewalInfo = reading.renewalInfo {
                #expect(renewalInfo.originalTransactionId == reading.artifact.originalTransactionId)
                #expect(renewalInfo.renewalDate != nil && renewalInfo.recentSubscriptionStartDate != nil)
            }
        }
    }

    @Test func `renewals are charged within 24 hours before their period, and some days ahead`() throws {
        var leads: [Int64] = []
        for reading in try Reading.all(of: Self.history) {
            guard reading.notification?.notificationType == .didRenew, reading.notification?.subtype == nil,
                let transaction = reading.transaction, let start = transaction.purchaseDate
            else { continue }
            if reading.artifact.change == .notificationRetry || reading.artifact.customer == nil { continue }
            leads.append(start.milliseconds - reading.artifact.signedDate.milliseconds)
        }
        let delay = StoreConfiguration.lifelike.signingDelay.upperBound
        #expect(leads.allSatisfy { (-delay...Instant.millisecondsPerDay).contains($0) })
        #expect(leads.contains { $0 > Instant.millisecondsPerHour })
    }

    /// Compares Apple's own rule, implemented independently here, with the recorded truth.
    @Test func `the truth agrees with what was signed, wherever that is settled`() throws {
        let rule = AppleRule(try Reading.all(of: Self.history))
        var generator = SeededGenerator(seed: Self.seed)
        var compared = 0
        for change in Self.history.changes {
            guard let customer = change.customer, let id = change.originalTransactionId else { continue }
            let later = change.signedDate.advanced(byMilliseconds: generator.number(in: 0...5_000_000_000))
            for instant in [change.signedDate, later] where Self.history.isSettled(for: customer, at: instant) {
                guard let expected = rule.state(of: id, at: instant) else { continue }
                let row = try #require(Self.history.truth.row(of: id, at: instant))
                var state = row.state
                state.introConsumedBy = nil
                #expect(state == expected, "seed \(Self.seed), \(id) at \(instant) after \(change.kind)")
                compared += 1
            }
        }
        print("compared \(compared) states")
        #expect(compared > 3_000)
    }

    @Test func `what is not yet signed is not settled`() throws {
        let change = try #require(Self.history.changes.first { $0.kind == .renewal })
        let customer = try #require(change.customer)
        #expect(!Self.history.isSettled(for: customer, at: change.date))
        #expect(!Self.history.isSettled(for: customer, at: change.signedDate.advanced(byMilliseconds: -1)))
        #expect(!Self.history.isSettled(for: customer, at: Simulation().end.advanced(byMilliseconds: 1)))
    }
}

import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import Primitives
import Testing

@Suite struct `Deliveries of notifications` {
    @Test func `succeed once each, at the signing date`() async throws {
        let served = try await ServedStore(isNotifying: true)
        var sent: [String] = []
        await served.play(toDay: 120) { delivery in
            sent.append(delivery.uuid)
            return .success
        }
        let deliveries = await served.store.deliveries
        #expect(deliveries.count > 60 && sent.count == deliveries.count && Set(sent).count == sent.count)
        for delivery in deliveries {
            let attempt = try #require(delivery.attempts.first)
            #expect(delivery.attempts.count == 1 && attempt.result == .success && delivery.nextAttempt == nil)
            let lateness = attempt.date.milliseconds - delivery.notification.signedDate.milliseconds
            #expect((0...VirtualClock.longestStep).contains(lateness))
        }
    }

    @Test func `are repeated 1, 12, 24, 48 and 72 hours after each failure in production`() async throws {
        let served = try await ServedStore(customers: 3, isNotifying: true)
        await served.play(toDay: 100) { _ in .unsuccessfulStatus }
        let failed = await served.store.deliveries.filter { $0.attempts.count == 6 }
        #expect(!failed.isEmpty)
        for delivery in failed {
            let hours = zip(delivery.attempts, delivery.attempts.dropFirst()).map {
                ($1.date.milliseconds - $0.date.milliseconds) / Instant.millisecondsPerHour
            }
            #expect(hours == [1, 12, 24, 48, 72])
            #expect(delivery.nextAttempt == nil && !delivery.isSuccessful)
        }
    }

    @Test func `are tried once in the sandbox`() async throws {
        let served = try await ServedStore(customers: 3, isNotifying: true, environment: .sandbox)
        await served.play(toDay: 100) { _ in .timedOut }
        let deliveries = await served.store.deliveries
        #expect(!deliveries.isEmpty && deliveries.allSatisfy { $0.attempts.count == 1 && $0.nextAttempt == nil })
    }

    @Test func `end with the first success`() async throws {
        let served = try await ServedStore(customers: 3, isNotifying: true)
        var failures: Set<String> = []
        await served.play(toDay: 100) { failures.insert($0.uuid).inserted ? .noResponse : .success }
        for delivery in await served.store.deliveries where delivery.nextAttempt == nil {
            #expect(delivery.attempts.map(\.result) == [.noResponse, .success])
        }
    }

    @Test func `are lost, repeated and delayed as asked, the same in every run of a seed`() async throws {
        var faults = Faults()
        faults.lose = 0.2
        faults.repeats = 0.3
        faults.delay = 6 * Instant.millisecondsPerHour
        var runs: [[String]] = []
        for _ in 0..<2 {
            let served = try await ServedStore(faults: faults, isNotifying: true)
            await served.play(toDay: 170)
            let deliveries = await served.store.deliveries.filter { $0.nextAttempt == nil }
            let lost = deliveries.filter(\.isLost)
            let repeated = deliveries.filter { $0.attempts.map(\.result) == [.success, .success] }
            let share = Double(lost.count) / Double(deliveries.count)
            #expect(share > 0.1 && share < 0.3)
            #expect(lost.allSatisfy { !$0.isSuccessful && $0.attempts.count == 6 })
            #expect(Double(repeated.count) / Double(deliveries.count) > 0.1)
            let late = deliveries.filter {
                $0.attempts[0].date.milliseconds - $0.notification.signedDate.milliseconds
                    > 2 * Instant.millisecondsPerHour
            }
            #expect(late.count > deliveries.count / 3)
            runs.append(deliveries.map { "\($0.uuid) \($0.isLost) \($0.attempts)" })
        }
        #expect(runs[0] == runs[1])
    }

    @Test func `leave postings of devices until the server takes them`() async throws {
        let served = try await ServedStore(customers: 60, isPosting: true)
        var attempts: [Int: [Instant]] = [:]
        await served.play(toDay: 100) { posting in
            attempts[posting.number, default: []].append(await served.store.now)
            return attempts[posting.number]?.count == 3
        }
        #expect(attempts.count > 20)
        let taken = attempts.values.filter { $0.count == 3 }
        #expect(taken.count > 20 && attempts.values.allSatisfy { $0.count <= 3 })
        for dates in taken {
            let hours = zip(dates, dates.dropFirst()).map {
                ($1.milliseconds - $0.milliseconds) / Instant.millisecondsPerHour
            }
            #expect(hours == [24, 24], "at the next launch, a day later")
        }
    }

    @Test func `sign each attempt anew, with the same nested data`() async throws {
        let served = try await ServedStore(customers: 3, isNotifying: true)
        var bodies: [String: [String]] = [:]
        await served.play(toDay: 60) { delivery in
            let notification = delivery.notification(signedAt: await served.store.now)
            bodies[delivery.uuid, default: []].append(
                served.store.signers[notification.signedDate].sign(notification).jws.text)
            return .timedOut
        }
        let repeated = bodies.values.filter { $0.count > 1 }
        #expect(!repeated.isEmpty)
        for jws in repeated {
            let payloads = try jws.map { try payload($0) }
            #expect(Set(payloads.map { $0["notificationUUID"]?.string }).count == 1)
            #expect(Set(payloads.map { $0["signedDate"]?.integer }).count == jws.count)
            #expect(Set(payloads.map { $0["data"]?["signedTransactionInfo"]?.string }).count == 1)
        }
    }

    @Test func `are signed by another chain once the certificates have changed`() async throws {
        var faults = Faults()
        faults.rotate = Instant(iso8601: "2025-03-01")
        let served = try await ServedStore(faults: faults, isNotifying: true)
        await served.play(toDay: 120)
        var leaves: [Bool: Set<String>] = [:]
        for delivery in await served.store.deliveries {
            let notification = delivery.notification
            let header = served.store.signers[notification.signedDate].sign(notification).jws.header
            let leaf = try #require(try JSONDocument(parsing: header).root["x5c"]?.elements?.first?.string)
            leaves[notification.signedDate >= (faults.rotate ?? .latest), default: []].insert(leaf)
        }
        #expect(leaves[false]?.count == 1 && leaves[true]?.count == 1 && leaves[false] != leaves[true])
    }
}

import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import HTTPTypes
import Primitives
import Testing

@Suite struct `The simulated history of notifications` {
    private static func history(
        of served: ServedStore, from start: Int64, to end: Int64, _ filters: [JSONValue.Member] = []
    ) async throws -> [JSONView] {
        var items: [JSONView] = []
        var token: String?
        let body = JSONValue.object(
            [.init("startDate", .integer(start)), .init("endDate", .integer(end))] + filters)
        repeat {
            let path = "/inApps/v1/notifications/history" + (token.map { "?paginationToken=\($0)" } ?? "")
            let answer = try await served.call(.post, path, body)
            #expect(answer.status == 200)
            let page = try #require(answer.body)
            let found = try #require(page["notificationHistory"]?.elements)
            #expect(found.count <= 20)
            items += found
            token = page["hasMore"]?.bool == true ? page["paginationToken"]?.string : nil
        } while token != nil
        return items
    }

    @Test func `has every notification of the window once, with its attempts`() async throws {
        var faults = Faults()
        faults.lose = 0.1
        let served = try await ServedStore(faults: faults, isNotifying: true)
        await served.play(toDay: 170)
        let start = served.store.configuration.simulation.start.milliseconds
        let now = await served.store.now.milliseconds
        let items = try await Self.history(of: served, from: start, to: now)
        let deliveries = await served.store.deliveries.filter { !$0.attempts.isEmpty }
        #expect(items.count == deliveries.count && items.count > 60)
        for (item, delivery) in zip(items, deliveries) {
            #expect(try payload(item["signedPayload"]?.string)["notificationUUID"]?.string == delivery.uuid)
            let results = item["sendAttempts"]?.elements?.map { $0["sendAttemptResult"]?.string }
            #expect(results == delivery.attempts.map(\.result.rawValue))
        }
        let failures = try await Self.history(of: served, from: start, to: now, [.init("onlyFailures", true)])
        #expect(failures.count == deliveries.filter { !$0.isSuccessful }.count && !failures.isEmpty)
    }

    @Test func `filters by type and by transaction`() async throws {
        let served = try await ServedStore(isNotifying: true)
        await served.play(toDay: 170)
        let start = served.store.configuration.simulation.start.milliseconds
        let now = await served.store.now.milliseconds
        let disabled = try await Self.history(
            of: served, from: start, to: now,
            [
                .init("notificationType", "DID_CHANGE_RENEWAL_STATUS"),
                .init("notificationSubtype", "AUTO_RENEW_DISABLED"),
            ])
        #expect(disabled.count > 5)
        for item in disabled {
            let payload = try payload(item["signedPayload"]?.string)
            #expect(payload["notificationType"]?.string == "DID_CHANGE_RENEWAL_STATUS")
            #expect(payload["subtype"]?.string == "AUTO_RENEW_DISABLED")
        }
        let key = try #require(await served.store.truth(at: await served.store.now).first).originalTransactionId
        let own = try await Self.history(of: served, from: start, to: now, [.init("transactionId", .string(key))])
        #expect(!own.isEmpty)
        #expect(
            own.count == (await served.store.deliveries.filter { $0.notification.originalTransactionId == key }).count)
    }

    @Test func `reaches back 180 days in production, and 30 in the sandbox`() async throws {
        for (environment, days) in [(.production, 180), (.sandbox, 30)] as [(AppStoreModel.Environment, Int64)] {
            let served = try await ServedStore(customers: 5, isNotifying: true, environment: environment)
            await served.play(toDay: 250)
            let now = await served.store.now.milliseconds
            let first = now - days * Instant.millisecondsPerDay
            let items = try await Self.history(of: served, from: first, to: now)
            #expect(!items.isEmpty)
            let answer = try await served.call(
                .post, "/inApps/v1/notifications/history",
                ["startDate": .integer(first - 1), "endDate": .integer(now)])
            #expect(answer.code == 4_000_012)
        }
    }

    private static let wrongRequests: [(JSONValue, Int64)] = [
        (["endDate": 1], 4_000_015), (["startDate": 1], 4_000_016), (["startDate": 5, "endDate": 1], 4_000_013),
        (window([.init("notificationType", "TEST"), .init("transactionId", "1")]), 4_000_019),
        (window([.init("notificationSubtype", "UPGRADE")]), 4_000_018),
    ]

    private static func window(_ filters: [JSONValue.Member]) -> JSONValue {
        .object([.init("startDate", 1_735_689_600_000), .init("endDate", 1_735_689_700_000)] + filters)
    }

    @Test(arguments: wrongRequests)
    func `refuses a wrong request with Apple's code`(_ body: JSONValue, _ code: Int64) async throws {
        let served = try await ServedStore(customers: 1)
        #expect(try await served.call(.post, "/inApps/v1/notifications/history", body).code == code)
    }

    @Test func `refuses the token of another request`() async throws {
        let served = try await ServedStore(isNotifying: true)
        await served.play(toDay: 170)
        let start = served.store.configuration.simulation.start.milliseconds
        let now = await served.store.now.milliseconds
        let path = "/inApps/v1/notifications/history"
        let page = try await served.call(.post, path, ["startDate": .integer(start), "endDate": .integer(now)]).body
        let token = try #require(page?["paginationToken"]?.string)
        let other = try await served.call(
            .post, path + "?paginationToken=\(token)", ["startDate": .integer(start), "endDate": .integer(now - 1)])
        #expect(other.code == 4_000_014)
    }

    @Test func `tells how a requested test notification ended`() async throws {
        let served = try await ServedStore(customers: 1, isNotifying: true)
        await served.play(toDay: 1)
        let requested = try await served.call(.post, "/inApps/v1/notifications/test")
        let token = try #require(requested.body?["testNotificationToken"]?.string)
        #expect(try await served.call(.get, "/inApps/v1/notifications/test/\(token)").code == 4_040_008)
        await served.play(toDay: 2) { _ in .unsuccessfulStatus }
        let status = try #require(try await served.call(.get, "/inApps/v1/notifications/test/\(token)").body)
        #expect(try payload(status["signedPayload"]?.string)["notificationType"]?.string == "TEST")
        #expect(
            status["sendAttempts"]?.elements?.first?["sendAttemptResult"]?.string
                == "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
        #expect(try await served.call(.get, "/inApps/v1/notifications/test/nonsense").code == 4_000_020)
    }

    @Test func `has no test notification for an app without a server`() async throws {
        let served = try await ServedStore(customers: 1)
        #expect(try await served.call(.post, "/inApps/v1/notifications/test").code == 4_040_007)
    }
}

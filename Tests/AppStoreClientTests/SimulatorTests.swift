import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import Crypto
import HummingbirdTesting
import Logging
import Primitives
import Testing

@Suite struct `A client of the simulated App Store` {
    @Test func `gets an answer from every endpoint`() async throws {
        var store = StoreConfiguration.lifelike
        store.delivery = NotificationDelivery()
        var configuration = SimulatedAppStore.Configuration(Simulation(seed: 3, customers: 60, store: store))
        configuration.isNotifying = true
        configuration.speed = .times(0)
        let simulated = try SimulatedAppStore(configuration)
        let key = P256.Signing.PrivateKey()
        let credentials = try await APICredentials(bundleId: store.bundleId, key: key)
        let simulator = AppStoreSimulator(
            simulated, credentials, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let start = configuration.simulation.start
        await simulated.play(to: start.advanced(byMilliseconds: 300 * Instant.millisecondsPerDay))
        while await simulated.isPlaying {
            for delivery in await simulated.step(after: .zero).notifications {
                await simulated.record(.success, of: delivery.uuid)
            }
            await simulated.endStep()
        }
        let now = await simulated.now
        let id = try #require(
            await simulated.truth(at: now).first {
                $0.state.status == .active && $0.ownership == .purchased && $0.paidDays > 0
                    && $0.state.expiresAt != nil
            }
        ).originalTransactionId
        let requests: [ServerAPIRequest] = [
            .transactionInfo(id), .appTransactionInfo(id), .subscriptionStatuses(id), .transactionHistory(id),
            .refundHistory(id), .order(OrderID.of(transactionId: id)),
            .notificationHistory(now.advanced(byMilliseconds: -Instant.millisecondsPerDay)...now),
            .requestTestNotification(), .finishTransaction(id),
            .setAppAccountToken("6f1c1b7e-52cf-4c4b-9a3d-6a4c7d2f9b10", of: id),
            .extendRenewalDates(
                ofProduct: "pro.yearly", byDays: 2, .serviceIssueOrOutage,
                requestIdentifier: "7f1c1b7e-52cf-4c4b-9a3d-6a4c7d2f9b10"),
            .massExtensionStatus(
                productId: "pro.yearly", requestIdentifier: "7f1c1b7e-52cf-4c4b-9a3d-6a4c7d2f9b10"),
            .sendConsumption(
                .object([
                    "customerConsented": .bool(true), "deliveryStatus": .string("DELIVERED"),
                    "sampleContentProvided": .bool(false),
                ]), of: id),
        ]
        try await simulator.application(host: "127.0.0.1", port: 0).test(.live) { server in
            let port = try #require(server.port)
            let client = try CannedServer.client(baseURL: "http://127.0.0.1:\(port)", key: key)
            for request in requests {
                let reply = try await client.send(request)
                #expect(reply.outcome == .success, "\(request.path)")
            }
            let unknown = try await client.send(.transactionInfo("7"))
            #expect(unknown.outcome == .error(code: 4_040_010, message: "Transaction id not found."))
            let stranger = try CannedServer.client(baseURL: "http://127.0.0.1:\(port)")
            await #expect(throws: ServerAPIFailure.unauthorized) { try await stranger.send(.transactionInfo(id)) }
        }
    }
}

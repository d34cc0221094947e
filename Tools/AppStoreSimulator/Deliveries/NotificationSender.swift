import AppStoreSimulation
package import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Posts notifications to the server of the app, as Apple does.
package struct NotificationSender: Sendable {
    private let client: HTTPClient
    private let url: String
    private let store: SimulatedAppStore

    /// The number of notifications under way at once.
    private static let width = 8
    /// Apple names no limit; an answer should take at most a few seconds.
    private static let patience = TimeAmount.seconds(5)

    package init(_ client: HTTPClient, to url: String, of store: SimulatedAppStore) {
        self.client = client
        self.url = url
        self.store = store
    }

    /// Sends what is due, and records how each attempt ended.
    package func send(_ deliveries: [Delivery]) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, delivery) in deliveries.enumerated() {
                if index >= Self.width { await group.next() }
                group.addTask {
                    await store.record(await attempt(delivery), of: delivery.uuid)
                }
            }
        }
    }

    private func attempt(_ delivery: Delivery) async -> SendAttemptResult {
        if delivery.isLost { return .timedOut }
        let notification = delivery.notification(signedAt: await store.now)
        guard let body = store.signers[notification.signedDate].sign(notification).body else { return .other }
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let response = try await client.execute(request, timeout: Self.patience)
            // The connection can be used again once the body has been read, whose contents Apple ignores.
            for try await _ in response.body {}
            return SendAttemptResult(status: Int(response.status.code))
        } catch let error as HTTPClientError {
            return error == .deadlineExceeded || error == .connectTimeout ? .timedOut : .noResponse
        } catch {
            return .socketIssue
        }
    }
}

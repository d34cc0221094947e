import AppStoreSimulation
package import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Primitives

/// Posts to the server of the app: notifications, as Apple does, and transactions, as devices do.
package struct Sender: Sendable {
    private let client: HTTPClient
    private let store: SimulatedAppStore
    private let notificationURL: String?
    private let version1URL: String?
    private let postingURL: String?

    /// The number of calls under way at once.
    private static let width = 8
    /// Apple names no limit; an answer should take at most a few seconds.
    private static let timeout = TimeAmount.seconds(5)

    /// The behaviour of the client: redirects count as failures, and a server that refuses connections fails at once.
    package static var transportConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    package init(
        _ client: HTTPClient, of store: SimulatedAppStore, notifying: String?, version1: String? = nil, posting: String?
    ) {
        self.client = client
        self.store = store
        notificationURL = notifying
        version1URL = version1
        postingURL = posting
    }

    /// Sends what is due, and records how each attempt ended. Notifications come first.
    package func send(_ due: SimulatedAppStore.Due) async {
        await Self.forEach(due.notifications) { delivery in
            await store.record(await attempt(delivery), of: delivery.uuid)
        }
        await Self.forEach(due.postings) { posting in
            await store.record(posting.number, isTaken: await post(posting))
        }
    }

    private static func forEach<Element: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, element) in elements.enumerated() {
                if index >= width { await group.next() }
                group.addTask { await body(element) }
            }
        }
    }

    private func attempt(_ delivery: Delivery) async -> SendAttemptResult {
        if delivery.isLost { return .timedOut }
        guard let url = delivery.version1Type == nil ? notificationURL : version1URL,
            let body = await body(of: delivery)
        else { return .other }
        do {
            return SendAttemptResult(status: try await post(body, to: url))
        } catch let error as HTTPClientError {
            return error == .deadlineExceeded || error == .connectTimeout ? .timedOut : .noResponse
        } catch {
            return .socketIssue
        }
    }

    private func body(of delivery: Delivery) async -> [UInt8]? {
        if delivery.version1Type != nil {
            let body = try? delivery.version1Body(password: store.configuration.sharedSecret)
            return body.map { Array($0.serialized().utf8) }
        }
        let notification = delivery.notification(signedAt: await store.now)
        return store.signers[notification.signedDate].sign(notification).body
    }

    /// Returns whether the server took the purchase, or refused it for good.
    private func post(_ posting: DevicePosting) async -> Bool {
        guard let url = postingURL else { return true }
        guard let body = try? await store.body(of: posting) else { return false }
        let status = try? await post(Array(body.serialized().utf8), to: url)
        return status.map { $0 < 500 } ?? false
    }

    /// - Returns: the status of the answer.
    private func post(_ body: [UInt8], to url: String) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await client.execute(request, timeout: Self.timeout)
        // The connection can be used again once the body has been read, whose contents do not matter.
        for try await _ in response.body {}
        return Int(response.status.code)
    }
}

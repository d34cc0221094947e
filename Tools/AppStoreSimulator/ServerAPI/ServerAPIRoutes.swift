import HTTPTypes
import Hummingbird
import NIOCore
import Primitives

/// Apple's routes at Apple's paths. Every call needs a token signed with the developer's key.
struct ServerAPIRoutes: Sendable {
    let api: ServerAPI
    let credentials: APICredentials

    private static let bodyLimit = 256 * 1_024

    func add(to router: Router<BasicRequestContext>) {
        addTransactions(to: router)
        addSubscriptions(to: router)
        addNotifications(to: router)
    }

    private func addTransactions(to router: Router<BasicRequestContext>) {
        router.get("/inApps/v1/transactions/:id") { request, context in
            try await answer(request) { try await api.transactionInfo(try context.id) }
        }
        router.get("/inApps/v1/transactions/appTransactions/:id") { request, context in
            try await answer(request) { try await api.appTransactionInfo(try context.id) }
        }
        router.get("/inApps/v2/history/:id") { request, context in
            try await answer(request) { try await api.history(try context.id, HistoryQuery(request.items)) }
        }
        router.get("/inApps/v1/history/:id") { request, context in
            try await answer(request) {
                try await api.history(
                    try context.id, HistoryQuery(request.items, omitsFinishedConsumables: true))
            }
        }
        router.get("/inApps/v2/refund/lookup/:id") { request, context in
            try await answer(request) { try await api.refundHistory(try context.id, HistoryQuery(request.items)) }
        }
        router.get("/inApps/v1/refund/lookup/:id") { request, context in
            try await answer(request) { try await api.refundHistoryV1(try context.id) }
        }
        router.get("/inApps/v1/lookup/:id") { request, context in
            try await answer(request) { try await api.lookUpOrder(try context.id) }
        }
        router.post("/inApps/v1/transactions/:id/finish") { request, context in
            try await confirm(request) { _ in try await api.finishTransaction(try context.id) }
        }
    }

    private func addSubscriptions(to router: Router<BasicRequestContext>) {
        router.get("/inApps/v1/subscriptions/:id") { request, context in
            try await answer(request) {
                try await api.subscriptionStatuses(try context.id, try Self.statuses(request.items))
            }
        }
        router.put("/inApps/v1/subscriptions/extend/:id") { request, context in
            try await answer(request) {
                try await api.extendRenewalDate(try context.id, try await Self.body(of: request))
            }
        }
        router.post("/inApps/v1/subscriptions/extend/mass") { request, _ in
            try await answer(request) { try await api.extendRenewalDates(try await Self.body(of: request)) }
        }
        router.get("/inApps/v1/subscriptions/extend/mass/:product/:id") { request, context in
            try await answer(request) {
                try await api.extensionStatus(
                    try context.id, productId: try context.parameters.require("product"))
            }
        }
        router.put("/inApps/v1/transactions/consumption/:id") { request, context in
            try await confirm(request, status: .accepted) { try await api.sendConsumptionV1(try context.id, $0) }
        }
        router.put("/inApps/v1/transactions/:id/appAccountToken") { request, context in
            try await confirm(request) { try await api.setAppAccountToken(try context.id, $0) }
        }
        router.put("/inApps/v2/transactions/consumption/:id") { request, context in
            try await confirm(request, status: .accepted) { try await api.sendConsumption(try context.id, $0) }
        }
    }

    private func addNotifications(to router: Router<BasicRequestContext>) {
        router.post("/inApps/v1/notifications/history") { request, _ in
            try await answer(request) {
                try await api.notificationHistory(
                    try await Self.body(of: request),
                    paginationToken: request.items.first { $0.name == "paginationToken" }?.value)
            }
        }
        router.post("/inApps/v1/notifications/test") { request, _ in
            try await answer(request) { try await api.requestTestNotification() }
        }
        router.get("/inApps/v1/notifications/test/:id") { request, context in
            try await answer(request) { try await api.testNotificationStatus(try context.id) }
        }
    }

    private func answer(_ request: Request, _ body: () async throws -> JSONValue) async throws -> Response {
        guard await isAllowed(request) else { return Response(status: .unauthorized) }
        do {
            return .json(try await body())
        } catch let error as ServerAPIError {
            return .error(error)
        }
    }

    private func confirm(
        _ request: Request, status: HTTPResponse.Status = .ok, _ act: (RequestBody) async throws -> Void
    ) async throws -> Response {
        guard await isAllowed(request) else { return Response(status: .unauthorized) }
        do {
            try await act(try await Self.body(of: request))
            return Response(status: status)
        } catch let error as ServerAPIError {
            return .error(error)
        }
    }

    private func isAllowed(_ request: Request) async -> Bool {
        guard let field = request.headers[.authorization], field.hasPrefix("Bearer ") else { return false }
        return await credentials.accept(String(field.dropFirst("Bearer ".count)))
    }

    private static func statuses(_ items: [(name: String, value: String)]) throws(ServerAPIError) -> Set<Int64> {
        var statuses: Set<Int64> = []
        for item in items where item.name == "status" {
            guard let status = Int64(item.value), (1...5).contains(status) else { throw .invalidStatus }
            statuses.insert(status)
        }
        return statuses
    }

    /// An empty body counts as an object without members.
    private static func body(of request: Request) async throws -> RequestBody {
        let buffer = try await request.body.collect(upTo: bodyLimit)
        let bytes = Array(buffer.readableBytesView)
        return try RequestBody(bytes.isEmpty ? Array("{}".utf8) : bytes)
    }
}

extension BasicRequestContext {
    var id: String { get throws { try parameters.require("id") } }
}

extension Request {
    /// The query parameters in their order, of which names may repeat.
    var items: [(name: String, value: String)] {
        uri.queryParameters.map { (String($0.key), String($0.value)) }
    }
}

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        var bytes: [UInt8] = []
        value.write(to: &bytes, canonical: false)
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Apple's Retry-After is an absolute time in milliseconds.
    static func error(_ error: ServerAPIError) -> Response {
        var response = json(error.json, status: error.status)
        if let instant = error.retryAfter { response.headers[.retryAfter] = "\(instant.milliseconds)" }
        return response
    }
}

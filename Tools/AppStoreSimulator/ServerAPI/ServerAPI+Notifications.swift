import AppStoreModel
import AppStoreSimulation
import Primitives

extension ServerAPI {
    func requestTestNotification() async throws -> JSONValue {
        try await enter(.testNotification)
        return .object(["testNotificationToken": .string(try await store.requestTest())])
    }

    func testNotificationStatus(_ text: String) async throws -> JSONValue {
        try await enter(.testNotificationStatus)
        guard let token = TestNotificationToken(text) else { throw ServerAPIError.invalidTestNotificationToken }
        guard let delivery = await store.delivery(token.uuid) else { throw ServerAPIError.testNotificationNotFound }
        return item(delivery)
    }

    func notificationHistory(_ body: RequestBody, paginationToken: String?) async throws -> JSONValue {
        try await enter(.notificationHistory)
        let now = await store.now
        let days = await store.historyDays
        let query = try NotificationHistoryQuery(body, now: now, days: days)
        let first = try paginationToken.map { text throws(ServerAPIError) in try query.place(of: text) } ?? 0
        let found = await store.deliveries.filter { query.includes($0) }
        let page = found.dropFirst(first).prefix(NotificationHistoryQuery.pageLength)
        let next = first + page.count
        var members = [
            JSONValue.Member("notificationHistory", .array(page.map(item))),
            JSONValue.Member("hasMore", .bool(next < found.count)),
        ]
        if next < found.count { members.append(.init("paginationToken", .string(query.token(for: next)))) }
        return .object(members)
    }

    private func item(_ delivery: Delivery) -> JSONValue {
        let notification = delivery.notification
        let signed = store.signers[notification.signedDate].sign(notification)
        let attempts = delivery.attempts.map { attempt in
            JSONValue.object([
                "attemptDate": .integer(attempt.date.milliseconds),
                "sendAttemptResult": .string(attempt.result.rawValue),
            ])
        }
        return .object(["signedPayload": .string(signed.jws.text), "sendAttempts": .array(attempts)])
    }
}

/// The filters of a request for the history of notifications.
/// https://developer.apple.com/documentation/appstoreserverapi/get-notification-history
struct NotificationHistoryQuery {
    static let pageLength = 20

    private let start: Instant
    private let end: Instant
    private let type: String?
    private let subtype: String?
    private let transactionId: String?
    private let onlyFailures: Bool

    /// - Parameter days: how far back the history goes.
    init(_ body: RequestBody, now: Instant, days: Int64) throws(ServerAPIError) {
        guard let start = body.integer("startDate"), start >= 0 else { throw .invalidStartDate }
        guard let end = body.integer("endDate"), end >= 0 else { throw .invalidEndDate }
        guard start <= end else { throw .startDateAfterEndDate }
        guard start >= now.milliseconds - days * Instant.millisecondsPerDay else { throw .startDateTooFarInPast }
        self.start = Instant(milliseconds: start)
        self.end = Instant(milliseconds: min(end, Instant.latest.milliseconds))
        type = body.text("notificationType")
        subtype = body.text("notificationSubtype")
        transactionId = body.text("transactionId")
        onlyFailures = body.flag("onlyFailures") ?? false
        if type != nil, transactionId != nil { throw .multipleFilters }
        if subtype != nil, type == nil { throw .invalidNotificationType }
    }

    func includes(_ delivery: Delivery) -> Bool {
        let notification = delivery.notification
        // The history has notifications of version 2 only.
        return delivery.version1Type == nil && start <= delivery.sentDate && delivery.sentDate <= end
            && (!delivery.attempts.isEmpty || delivery.nextAttempt == nil)
            && (type == nil || notification.notificationType?.rawValue == type)
            && (subtype == nil || notification.subtype?.rawValue == subtype)
            && (transactionId == nil || notification.transactionId == transactionId
                || notification.originalTransactionId == transactionId)
            && (!onlyFailures || !delivery.isSuccessful)
    }

    func token(for place: Int) -> String { Base64URL.encode(Array("\(place)/\(fingerprint)".utf8)) }

    /// - Throws: `invalidPaginationToken` for a token of another request.
    func place(of token: String) throws(ServerAPIError) -> Int {
        let parts = (Base64URL.decode(token).map { String(decoding: $0, as: UTF8.self) } ?? "")
            .split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let place = Int(parts[0]), place >= 0, parts[1] == fingerprint else {
            throw .invalidPaginationToken
        }
        return place
    }

    private var fingerprint: String {
        [
            "\(start.milliseconds)", "\(end.milliseconds)", type ?? "", subtype ?? "", transactionId ?? "",
            "\(onlyFailures)",
        ].joined(separator: "/")
    }
}

package import AppStoreModel
package import Primitives

/// A request of the App Store Server API.
/// https://developer.apple.com/documentation/appstoreserverapi
package struct ServerAPIRequest: Hashable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    package let endpoint: ServerAPIEndpoint
    package let method: Method
    package let path: String
    /// The query parameters in their order; names may repeat.
    package let query: [Parameter]
    /// The body; nil for none.
    package let body: JSONValue?
    /// The members that an answer has, with their types; empty when Apple answers without a body.
    let shape: [(name: String, type: JSONType)]

    package struct Parameter: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    private init(
        _ endpoint: ServerAPIEndpoint, _ method: Method, _ path: String, query: [Parameter] = [],
        body: JSONValue? = nil, _ shape: [(name: String, type: JSONType)]
    ) {
        self.endpoint = endpoint
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.shape = shape
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.method == right.method && left.path == right.path && left.query == right.query && left.body == right.body
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(query)
    }
}

// MARK: - Reads

extension ServerAPIRequest {
    private static let page = [("signedTransactions", JSONType.array), ("revision", .string), ("hasMore", .boolean)]

    /// - Parameter id: a transaction id; an original transaction id is one too.
    package static func transactionInfo(_ id: String) -> Self {
        Self(
            .transactionInfo, .get, "/inApps/v1/transactions/\(escaped(id))", [("signedTransactionInfo", .string)])
    }

    /// - Parameter id: any id of the account: of a transaction, an original transaction or an app transaction.
    package static func appTransactionInfo(_ id: String) -> Self {
        Self(
            .appTransactionInfo, .get, "/inApps/v1/transactions/appTransactions/\(escaped(id))",
            [("signedAppTransactionInfo", .string)])
    }

    /// Returns the request for all subscriptions of an account.
    /// - Parameter id: any id of the account.
    package static func subscriptionStatuses(_ id: String) -> Self {
        Self(
            .subscriptionStatuses, .get, "/inApps/v1/subscriptions/\(escaped(id))",
            [("data", .array), ("environment", .string), ("bundleId", .string)])
    }

    /// Returns the request for a page of an account's transactions, oldest change first. The order in which Apple keeps a
    /// revision valid is ascending.
    /// - Parameters:
    ///   - id: any id of the account.
    ///   - revision: that of the last page with the same filters; nil for the first page.
    package static func transactionHistory(_ id: String, revision: String? = nil) -> Self {
        let query = [Parameter("sort", "ASCENDING")] + (revision.map { [Parameter("revision", $0)] } ?? [])
        return Self(.transactionHistory, .get, "/inApps/v2/history/\(escaped(id))", query: query, page)
    }

    /// Returns the request for a page of an account's refunds.
    package static func refundHistory(_ id: String, revision: String? = nil) -> Self {
        Self(
            .refundHistory, .get, "/inApps/v2/refund/lookup/\(escaped(id))",
            query: revision.map { [Parameter("revision", $0)] } ?? [], page)
    }

    /// Returns the request for the transactions of an order. Apple answers it in Production only.
    package static func order(_ orderId: String) -> Self {
        Self(.lookUpOrder, .get, "/inApps/v1/lookup/\(escaped(orderId))", [("status", .number)])
    }

    /// Returns the request for a page of the notifications of a time.
    /// - Parameters:
    ///   - window: start and end, at most 180 days back (in the sandbox 30).
    ///   - token: that of the last page with the same body; nil for the first page.
    package static func notificationHistory(
        _ window: ClosedRange<Instant>, onlyFailures: Bool = false, token: String? = nil
    ) -> Self {
        var body: [JSONValue.Member] = [
            .init("startDate", .integer(window.lowerBound.milliseconds)),
            .init("endDate", .integer(window.upperBound.milliseconds)),
        ]
        if onlyFailures { body.append(.init("onlyFailures", .bool(true))) }
        return Self(
            .notificationHistory, .post, "/inApps/v1/notifications/history",
            query: token.map { [Parameter("paginationToken", $0)] } ?? [], body: .object(body),
            [("notificationHistory", .array), ("hasMore", .boolean)])
    }

    package static func testNotificationStatus(_ token: String) -> Self {
        Self(
            .testNotificationStatus, .get, "/inApps/v1/notifications/test/\(escaped(token))",
            [("signedPayload", .string)])
    }

    package static func massExtensionStatus(productId: String, requestIdentifier: String) -> Self {
        let place = "\(escaped(productId))/\(escaped(requestIdentifier))"
        return Self(
            .massExtensionStatus, .get, "/inApps/v1/subscriptions/extend/mass/\(place)",
            [("requestIdentifier", .string), ("complete", .boolean)])
    }
}

// MARK: - Acts

/// The reason that Apple records for an extended renewal date.
/// https://developer.apple.com/documentation/appstoreserverapi/extendreasoncode
package enum ExtendReasonCode: Int64, Sendable {
    case undeclared, customerSatisfaction, other, serviceIssueOrOutage
}

extension ServerAPIRequest {
    package static func requestTestNotification() -> Self {
        Self(.testNotification, .post, "/inApps/v1/notifications/test", [("testNotificationToken", .string)])
    }

    package static func finishTransaction(_ id: String) -> Self {
        Self(.finishTransaction, .post, "/inApps/v1/transactions/\(escaped(id))/finish", [])
    }

    /// - Parameter token: a UUID.
    package static func setAppAccountToken(_ token: String, of originalTransactionId: String) -> Self {
        Self(
            .setAppAccountToken, .put,
            "/inApps/v1/transactions/\(escaped(originalTransactionId))/appAccountToken",
            body: .object(["appAccountToken": .string(token)]), [])
    }

    /// - Parameters:
    ///   - days: 1 ... 90
    ///   - requestIdentifier: names the request, at most 128 characters.
    package static func extendRenewalDate(
        of originalTransactionId: String, byDays days: Int64, _ reason: ExtendReasonCode, requestIdentifier: String
    ) -> Self {
        Self(
            .extendRenewalDate, .put, "/inApps/v1/subscriptions/extend/\(escaped(originalTransactionId))",
            body: .object([
                "extendByDays": .integer(days), "extendReasonCode": .integer(reason.rawValue),
                "requestIdentifier": .string(requestIdentifier),
            ]), [("success", .boolean), ("effectiveDate", .number)])
    }

    /// - Parameters:
    ///   - storefronts: ISO 3166-1 alpha-3; empty for all.
    ///   - requestIdentifier: a UUID. The same one again changes nothing.
    package static func extendRenewalDates(
        ofProduct productId: String, byDays days: Int64, _ reason: ExtendReasonCode, storefronts: [String] = [],
        requestIdentifier: String
    ) -> Self {
        var body: [JSONValue.Member] = [
            .init("extendByDays", .integer(days)), .init("extendReasonCode", .integer(reason.rawValue)),
            .init("requestIdentifier", .string(requestIdentifier)), .init("productId", .string(productId)),
        ]
        if !storefronts.isEmpty {
            body.append(.init("storefrontCountryCodes", .array(storefronts.map { .string($0) })))
        }
        return Self(
            .massExtension, .post, "/inApps/v1/subscriptions/extend/mass", body: .object(body),
            [("requestIdentifier", .string)])
    }

    /// - Parameter information: the body of Apple's ConsumptionRequest.
    package static func sendConsumption(_ information: JSONValue, of transactionId: String) -> Self {
        Self(
            .consumption, .put, "/inApps/v2/transactions/consumption/\(escaped(transactionId))", body: information, [])
    }

    /// Percent-encodes every byte but the unreserved characters (RFC 3986 §2.3), so that an id cannot change the path.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default: escaped += "%" + Hex.encode([byte]).uppercased()
            }
        }
        return escaped
    }
}

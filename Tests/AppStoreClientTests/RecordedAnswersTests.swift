import AppStoreClient
import FoundationEssentials
import LedgerTesting
import Primitives
import Testing

/// The answers of the Server API in the fixtures. Their signed parts were replaced before they were published.
@Suite(.enabled(if: TestEnvironment.fixtures != nil, "the folder of fixtures is absent"))
struct `Recorded answers of the Server API` {
    private static let id = "1"

    /// File -> its request, and members that it has.
    private static let answers: [(file: String, request: ServerAPIRequest, members: [StaticString])] = [
        ("transactionInfoResponse", .transactionInfo(id), ["signedTransactionInfo"]),
        ("aporat-appTransactionResponse", .transactionInfo(id), ["signedTransactionInfo"]),
        (
            "transactionHistoryResponse", .transactionHistory(id),
            ["revision", "hasMore", "bundleId", "appAppleId", "environment", "signedTransactions"]
        ),
        ("getAllSubscriptionStatusesResponse", .subscriptionStatuses(id), ["environment", "bundleId", "data"]),
        ("yaglo-status-120", .subscriptionStatuses(id), ["environment", "bundleId", "data"]),
        ("yaglo-status-482", .subscriptionStatuses(id), ["environment", "bundleId", "data"]),
        ("lookupOrderIdResponse", .order(id), ["status", "signedTransactions"]),
        (
            "extendSubscriptionRenewalDateResponse",
            .extendRenewalDate(of: id, byDays: 1, .other, requestIdentifier: "one"),
            ["originalTransactionId", "webOrderLineItemId", "success", "effectiveDate"]
        ),
        (
            "getStatusOfSubscriptionRenewalDateExtensionsResponse",
            .massExtensionStatus(productId: "p", requestIdentifier: "one"),
            ["requestIdentifier", "complete", "completeDate", "succeededCount", "failedCount"]
        ),
        ("getTestNotificationStatusResponse", .testNotificationStatus(id), ["signedPayload", "sendAttempts"]),
        ("requestTestNotificationResponse", .requestTestNotification(), ["testNotificationToken"]),
        (
            "getNotificationHistoryResponse",
            .notificationHistory(Instant(milliseconds: 0)...Instant(milliseconds: 1)),
            ["paginationToken", "hasMore", "notificationHistory"]
        ),
    ]

    private static let errors: [(file: String, code: Int64)] = [
        ("appTransactionDoesNotExistError", 4_040_019),
        ("familyTransactionNotSupportedError", 4_000_185), ("invalidAppAccountTokenUUIDError", 4_000_183),
        ("invalidTransactionIdError", 4_000_006), ("transactionIdNotFoundError", 4_040_010),
    ]

    private static func text(_ file: String) throws -> String {
        let folder = try #require(TestEnvironment.fixtures)
        let data = try Data(contentsOf: URL(filePath: "\(folder)/server-api/\(file).json"))
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `have the shape of their endpoints`() async throws {
        for (file, request, members) in Self.answers {
            let server = CannedServer([CannedServer.Answer(body: try Self.text(file))])
            let reply = try await server.run { try await $0.send(request) }
            #expect(reply.outcome == .success, "\(file)")
            for member in members { #expect(reply.body?[member]?.isNull == false, "\(file): \(member)") }
        }
    }

    @Test func `state Apple's codes`() async throws {
        for (file, code) in Self.errors {
            let answer = CannedServer.Answer(status: Int(code / 10_000), body: try Self.text(file))
            let reply = try await CannedServer([answer]).run { try await $0.send(.transactionInfo(Self.id)) }
            guard case .error(code, _) = reply.outcome else {
                Issue.record("\(file): \(reply.outcome)")
                continue
            }
        }
    }

    @Test func `are no answer with a server error`() async throws {
        let server = CannedServer([CannedServer.Answer(status: 500, body: try Self.text("apiException"))])
        try await server.run(attempts: 1) { client in
            await #expect(throws: ServerAPIFailure.unavailable(found: "status 500, error 5000000")) {
                try await client.send(.transactionInfo(Self.id))
            }
        }
    }

    @Test func `are no answer when a list is an object`() async throws {
        let server = CannedServer([CannedServer.Answer(body: try Self.text("fxa-api_response_subscription_status"))])
        try await server.run(attempts: 1) { client in
            await #expect(
                throws: ServerAPIFailure.unavailable(found: "status 200 without `data`, or with another type of it")
            ) { try await client.send(.subscriptionStatuses(Self.id)) }
        }
    }

    @Test func `are all in this table`() throws {
        let folder = try #require(TestEnvironment.fixtures)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/server-api")
        let known =
            Self.answers.map(\.file) + Self.errors.map(\.file) + [
                "apiException", "fxa-api_response_subscription_status",
            ]
        #expect(Set(files.filter { $0.hasSuffix(".json") }) == Set(known.map { $0 + ".json" }))
    }
}

import AppStoreModel
import AppStoreSimulation
import Primitives

/// The App Store Server API of a simulated App Store. It signs each answer at the time of the call, as Apple does.
/// https://developer.apple.com/documentation/appstoreserverapi
struct ServerAPI: Sendable {
    let store: SimulatedAppStore

    /// Counts a call, and waits as long as its answer takes.
    func enter(_ endpoint: ServerAPIEndpoint) async throws {
        let delay = try await store.admit(endpoint)
        if delay > 0 { try await Task.sleep(for: .milliseconds(delay)) }
    }

    func signer() async -> JWSSigner { store.signers[await store.now] }

    /// The members that name the app of an answer.
    var appMembers: [JSONValue.Member] {
        let app = store.app
        var members = [JSONValue.Member("environment", .string(app.environment.rawValue))]
        members.append(.init("bundleId", .string(app.bundleId)))
        if app.environment == .production, let id = app.appAppleId { members.append(.init("appAppleId", .integer(id))) }
        return members
    }
}

// MARK: - Transactions

extension ServerAPI {
    func transactionInfo(_ id: String) async throws -> JSONValue {
        try await enter(.transactionInfo)
        let transaction = try await transaction(id)
        return .object(["signedTransactionInfo": .string(await signer().sign(transaction.payload).text)])
    }

    /// - Throws: `appTransactionIdNotSupported`, `transactionIdNotFound`.
    func transaction(_ id: String) async throws(ServerAPIError) -> RecordedTransaction {
        let record = try await store.record(ofAny: id)
        guard let transaction = record.transactions.first(where: { $0.transactionId == id }) else {
            throw .appTransactionIdNotSupported
        }
        return transaction
    }

    func appTransactionInfo(_ id: String) async throws -> JSONValue {
        try await enter(.appTransactionInfo)
        let payload = try await store.record(ofAny: id).appTransaction
        return .object(["signedAppTransactionInfo": .string(await signer().sign(payload).text)])
    }

    func history(_ id: String, _ query: HistoryQuery) async throws -> JSONValue {
        try await enter(.transactionHistory)
        var transactions: [RecordedTransaction] = []
        for transaction in try await store.record(ofAny: id).transactions where query.includes(transaction) {
            if query.omitsFinishedConsumables, transaction.type == .consumable,
                await store.isFinished(transaction.transactionId)
            {
                continue
            }
            transactions.append(transaction)
        }
        return await page(try query.page(of: transactions))
    }

    func refundHistory(_ id: String, _ query: HistoryQuery) async throws -> JSONValue {
        try await enter(.refundHistory)
        let refunded = try await store.record(ofAny: id).transactions
            .filter { $0.revocationDate != nil && $0.ownership == .purchased }
            .sorted { ($0.revocationDate ?? .latest) < ($1.revocationDate ?? .latest) }
        return await page(try query.page(of: refunded))
    }

    /// The first version of the refund history: up to 50 transactions, without pages.
    func refundHistoryV1(_ id: String) async throws -> JSONValue {
        try await enter(.refundHistory)
        let refunded = try await store.record(ofAny: id).transactions.filter { $0.revocationDate != nil }
        return .object(["signedTransactions": await signed(refunded.prefix(50))])
    }

    func lookUpOrder(_ orderId: String) async throws -> JSONValue {
        try await enter(.lookUpOrder)
        guard store.app.environment == .production else { throw ServerAPIError.invalidRequest }
        guard let id = OrderID.transactionId(of: orderId), let transaction = try? await transaction(id) else {
            return .object(["status": .integer(1), "signedTransactions": .array([])])
        }
        return .object(["status": .integer(0), "signedTransactions": await signed([transaction])])
    }

    private func page(_ page: HistoryPage) async -> JSONValue {
        .object(
            [
                .init("revision", .string(page.revision)), .init("hasMore", .bool(page.hasMore)),
            ] + appMembers + [.init("signedTransactions", await signed(page.transactions[...]))])
    }

    private func signed(_ transactions: ArraySlice<RecordedTransaction>) async -> JSONValue {
        let signer = await signer()
        return .array(transactions.map { .string(signer.sign($0.payload).text) })
    }
}

// MARK: - Subscriptions

extension ServerAPI {
    /// - Parameter statuses: those to include; empty for all.
    func subscriptionStatuses(_ id: String, _ statuses: Set<Int64>) async throws -> JSONValue {
        try await enter(.subscriptionStatuses)
        let subscriptions = try await store.record(ofAny: id).subscriptions
            .filter { statuses.isEmpty || statuses.contains($0.status.rawValue) }
        let signer = await signer()
        var groups: [(id: String, items: [JSONValue])] = []
        for subscription in subscriptions {
            let item = JSONValue.object([
                "originalTransactionId": .string(subscription.originalTransactionId),
                "status": .integer(subscription.status.rawValue),
                "signedTransactionInfo": .string(signer.sign(subscription.transaction).text),
                "signedRenewalInfo": .string(signer.sign(subscription.renewalInfo).text),
            ])
            if let index = groups.firstIndex(where: { $0.id == subscription.subscriptionGroupIdentifier }) {
                groups[index].items.append(item)
            } else {
                groups.append((subscription.subscriptionGroupIdentifier, [item]))
            }
        }
        let data = groups.map { group in
            JSONValue.object([
                "subscriptionGroupIdentifier": .string(group.id), "lastTransactions": .array(group.items),
            ])
        }
        return .object(appMembers + [.init("data", .array(data))])
    }
}

/// The order id in the receipt that a customer gets by e-mail, which names one transaction.
package enum OrderID {
    package static func of(transactionId: String) -> String {
        "M" + (UInt64(transactionId).map { String($0, radix: 36, uppercase: true) } ?? transactionId)
    }

    static func transactionId(of orderId: String) -> String? {
        guard orderId.hasPrefix("M"), let number = UInt64(orderId.dropFirst(), radix: 36) else { return nil }
        return String(number)
    }
}

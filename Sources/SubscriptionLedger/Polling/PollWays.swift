import AppStoreClient
import AppStoreModel
import DuePolls
import Primitives

/// The way to ask Apple about an account.
enum PollWay: Sendable {
    case serverAPI(AppStoreConnection)
    case verifyReceipt(VerifyReceiptConnection, ReceiptToken)

    /// Takes a call out of the budget.
    /// - Returns: nil when the call may be made now, otherwise the instant from which to ask again.
    func take(_ question: PollQuestion) -> Instant? {
        switch self {
        case .serverAPI(let connection): connection.take(question.endpoint)
        case .verifyReceipt(let connection, _): connection.take()
        }
    }

    /// Why the calls stopped; nil while calls are made.
    var stop: StoppedCalls? {
        switch self {
        case .serverAPI(let connection): connection.stop
        case .verifyReceipt(let connection, _): connection.stop
        }
    }
}

/// The ways to ask Apple about the configured apps.
struct PollWays: Sendable {
    private let serverAPI: [CallBudget.App: AppStoreConnection]
    private let verifyReceipt: [CallBudget.App: VerifyReceiptConnection]

    init(_ serverAPI: [AppStoreConnection], _ verifyReceipt: [VerifyReceiptConnection]) {
        self.serverAPI = Dictionary(uniqueKeysWithValues: serverAPI.map { ($0.app, $0) })
        self.verifyReceipt = Dictionary(uniqueKeysWithValues: verifyReceipt.map { ($0.app, $0) })
    }

    var apps: Set<CallBudget.App> { Set(serverAPI.keys).union(verifyReceipt.keys) }

    /// The apps whose calls stopped, in order.
    var stops: [StoppedCalls] {
        (serverAPI.values.compactMap(\.stop) + verifyReceipt.values.compactMap(\.stop)).sorted {
            ($0.bundleId, $0.environment, $0.code) < ($1.bundleId, $1.environment, $1.code)
        }
    }

    func usesReceipts(_ app: CallBudget.App) -> Bool { verifyReceipt[app] != nil }

    /// Returns the way to ask about an account; nil without one. The Server API comes first, except for receipts that
    /// only verifyReceipt can verify, and for ids that the Server API does not know.
    func way(for app: CallBudget.App, _ attempt: PollStore.Attempt, _ token: ReceiptToken?) -> PollWay? {
        let api = serverAPI[app].map(PollWay.serverAPI)
        guard let connection = verifyReceipt[app], let token,
            api == nil || token.needsAnswer || attempt.unknownAt != nil
        else { return api }
        return .verifyReceipt(connection, token)
    }
}

extension PollQuestion {
    var endpoint: ServerAPIEndpoint {
        switch self {
        case .statuses: .subscriptionStatuses
        case .history: .transactionHistory
        }
    }
}

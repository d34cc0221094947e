import AppStoreModel
import AppStoreSimulation
import Primitives

/// A verifyReceipt endpoint of a simulated App Store, for receipts of one environment.
/// https://developer.apple.com/documentation/appstorereceipts/verifyreceipt
struct VerifyReceipt: Sendable {
    let store: SimulatedAppStore
    /// The environment whose receipts it takes. Those of the other are sent to the other endpoint.
    let environment: Environment

    /// Returns the answer to a request body.
    func answer(_ bytes: [UInt8]) async throws -> JSONValue {
        let (failure, delay) = await store.admitReceipt()
        if delay > 0 { try await Task.sleep(for: .milliseconds(delay)) }
        if let failure { throw failure }
        guard let body = try? RequestBody(bytes) else { throw VerifyReceiptFailure.badRequest }
        let receipt = try receipt(in: body)
        let password = body.text("password")
        if let password, password != store.configuration.sharedSecret { throw VerifyReceiptFailure.wrongPassword }
        guard let account = await store.purchases(of: receipt) else { throw VerifyReceiptFailure.accountNotFound }
        let now = await store.now
        switch receipt {
        case .app(let receipt):
            var answer = ReceiptAnswer(receipt, of: account, requestDate: now)
            answer.statesLatest = password != nil
            answer.excludesOld = body.flag("exclude-old-transactions") ?? false
            return try answer.json(signedBy: ReceiptSigner.standard)
        case .transaction(let receipt):
            var answer = TransactionReceiptAnswer(receipt, of: account, requestDate: now)
            answer.statesLatest = password != nil
            return try answer.json(signedBy: ReceiptSigner.standard)
        }
    }

    private func receipt(in body: RequestBody) throws(VerifyReceiptFailure) -> SentReceipt {
        guard let bytes = body.text("receipt-data").flatMap({ Base64.decode($0) }) else { throw .malformedReceipt }
        let receipt: SentReceipt
        do {
            receipt = try SentReceipt(bytes)
        } catch {
            switch error {
            case .malformed: throw .malformedReceipt
            case .unauthenticated: throw .unauthenticated
            }
        }
        guard receipt.bundleId == store.app.bundleId else { throw .unauthenticated }
        guard receipt.environment == environment else {
            throw environment == .production ? .sandboxReceiptInProduction : .productionReceiptInSandbox
        }
        return receipt
    }
}

/// A receipt of either age.
enum SentReceipt: Sendable {
    case app(AppReceipt)
    case transaction(IssuedTransactionReceipt)

    /// - Parameter bytes: a container, or the property list of a transaction receipt.
    init(_ bytes: [UInt8]) throws(ReceiptRejection) {
        if bytes.first == UInt8(ascii: "{") {
            self = .transaction(try ReceiptSigner.standard.openTransactionReceipt(bytes))
        } else {
            self = .app(try ReceiptSigner.standard.open(bytes))
        }
    }

    var bundleId: String? {
        switch self {
        case .app(let receipt): receipt.bundleId
        case .transaction(let receipt): receipt.bundleId
        }
    }

    var environment: Environment? {
        switch self {
        case .app(let receipt): receipt.environment
        case .transaction(let receipt): receipt.environment
        }
    }
}

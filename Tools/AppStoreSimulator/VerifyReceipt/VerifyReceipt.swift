import AppStoreModel
import AppStoreSimulation
import Primitives

/// The verifyReceipt endpoint of a simulated App Store, for receipts of its environment.
/// https://developer.apple.com/documentation/appstorereceipts/verifyreceipt
struct VerifyReceipt: Sendable {
    let store: SimulatedAppStore

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
        var answer = ReceiptAnswer(receipt, of: account, requestDate: await store.now)
        answer.statesLatest = password != nil
        answer.excludesOld = body.flag("exclude-old-transactions") ?? false
        return try answer.json(signedBy: ReceiptSigner.standard)
    }

    private func receipt(in body: RequestBody) throws(VerifyReceiptFailure) -> AppReceipt {
        guard let container = body.text("receipt-data").flatMap({ Base64.decode($0) }) else {
            throw .malformedReceipt
        }
        let receipt: AppReceipt
        do {
            receipt = try ReceiptSigner.standard.open(container)
        } catch {
            switch error {
            case .malformed: throw .malformedReceipt
            case .unauthenticated: throw .unauthenticated
            }
        }
        guard receipt.bundleId == store.app.bundleId else { throw .unauthenticated }
        guard receipt.environment == store.app.environment else {
            throw store.app.environment == .production ? .sandboxReceiptInProduction : .productionReceiptInSandbox
        }
        return receipt
    }
}

import AppStoreModel
import AppStoreSimulation
package import Primitives

/// Receipts, and the questions of verifyReceipt.
extension SimulatedAppStore {
    func purchases(ofCustomer number: Int) throws -> AccountPurchases {
        try act(asCustomer: number) { store, account in purchases(of: account, in: store) }
    }

    /// Returns the account's purchases of an issued receipt; nil when the store does not know the account.
    func purchases(of receipt: SentReceipt) -> AccountPurchases? {
        let account: AccountID? =
            switch receipt {
            case .app(let receipt): store.account(of: receipt)
            case .transaction(let receipt): receipt.originalTransactionId.flatMap(store.account(ofTransactionId:))
            }
        return account.map { purchases(of: $0, in: store) }
    }

    private func purchases(of account: AccountID, in store: LiveStore) -> AccountPurchases {
        store.purchases(of: account, lag: configuration.faults.lag) { transactionId, date in
            if finished.contains(transactionId) || store.isFinished(transactionId, on: account) { return true }
            // The app finishes once its server has taken the purchase. Without a server, nobody directs some devices.
            let isWaiting = configuration.isPosting || store.hasUsedDevice(account)
            return !isWaiting && store.now.milliseconds - date.milliseconds > Instant.millisecondsPerHour
        }
    }

    func postsReceipts(at instant: Instant) -> Bool {
        switch configuration.postingForm {
        case .transactions: return false
        case .receipts: return true
        case .moving:
            let (start, end) = (configuration.simulation.start, configuration.simulation.end)
            return instant.milliseconds - start.milliseconds < end.milliseconds - instant.milliseconds
        }
    }

    /// Returns the body that a device posts now: with the receipt of now, or the transaction as it was signed.
    package func body(of posting: DevicePosting) throws -> JSONValue {
        let receipt = posting.isReceipt ? try purchases(ofCustomer: posting.customer).receipt(createdAt: now) : nil
        return posting.body(
            signedBy: signers[posting.artifact.signedDate],
            receipt: try receipt.map { try ReceiptSigner.standard.sign($0) })
    }

    /// Finishes the transaction of a posting that the server took. Where somebody directs the device, it does so itself.
    func finish(_ posting: DevicePosting?) {
        guard let posting, let account = store.account(ofCustomer: posting.customer), !store.hasUsedDevice(account),
            let id = posting.artifact.transactionId
        else { return }
        finished.insert(id)
    }

    /// Decides whether a call of verifyReceipt fails on purpose.
    /// - Returns: the failure, and the milliseconds of real time that the answer takes.
    func admitReceipt() -> (failure: VerifyReceiptFailure?, delay: Int64) {
        let faults = configuration.faults
        let delay = faults.slow > 0 ? generator.number(in: 0...faults.slow) : 0
        if generator.happens(faults.status5xx) { return (.unavailable, delay) }
        if generator.happens(faults.status21005) { return (.temporary, delay) }
        guard generator.happens(faults.status211xx) else { return (nil, delay) }
        return (
            .internalAccess(
                code: generator.number(in: 21_100...21_199), isRetryable: generator.element(of: [true, false])), delay
        )
    }
}

import AppStoreModel
import AppStoreSimulation
import Primitives

/// The questions and acts of the Server API.
extension SimulatedAppStore {
    /// Counts a call, and decides whether it fails on purpose.
    /// - Returns: the milliseconds of real time that the answer takes.
    func admit(_ endpoint: ServerAPIEndpoint) throws(ServerAPIError) -> Int64 {
        let faults = configuration.faults
        if let instant = limits.admit(endpoint, at: store.now) { throw .rateLimitExceeded(until: instant) }
        if generator.happens(faults.status429) {
            throw .rateLimitExceeded(until: store.now.advanced(byMilliseconds: generator.number(in: 1_000...60_000)))
        }
        if generator.happens(faults.status5xx) {
            throw generator.happens(0.5) ? .internalErrorRetryable : .internalError
        }
        return faults.slow > 0 ? generator.number(in: 0...faults.slow) : 0
    }

    /// Returns what Apple states about the account of any kind of transaction id.
    func record(ofAny id: String) throws(ServerAPIError) -> CustomerRecord {
        guard !id.isEmpty, id.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            throw .invalidTransactionId
        }
        guard let account = store.account(of: id) else { throw .transactionIdNotFound }
        return store.record(of: account, lag: configuration.faults.lag)
    }

    func isFinished(_ transactionId: String) -> Bool {
        if finished.contains(transactionId) { return true }
        guard let account = store.account(ofTransactionId: transactionId) else { return false }
        return store.isFinished(transactionId, on: account)
    }

    /// - Throws: `transactionIdNotFound`.
    func finish(_ transactionId: String) throws(ServerAPIError) {
        guard store.account(ofTransactionId: transactionId) != nil else { throw .transactionIdNotFound }
        finished.insert(transactionId)
    }

    func extendRenewal(
        of id: String, byDays days: Int64
    ) throws(ServerAPIError) -> (webOrderLineItemId: String, effectiveDate: Instant) {
        let account = try account(ofOriginal: id)
        do {
            return try store.extendRenewal(of: id, by: account, byDays: days)
        } catch {
            switch error {
            case .ineligible: throw .extensionIneligible
            case .maximum: throw .extensionMaximum
            case .familyShared: throw .familyExtensionIneligible
            }
        }
    }

    /// Extends the renewal dates of a product's subscribers. A request with a known identifier changes nothing.
    func extendRenewals(_ request: MassExtension) {
        guard massExtensions[request.requestIdentifier] == nil else { return }
        let result = store.extendRenewals(request)
        massExtensions[request.requestIdentifier] = (result, store.now)
        upcoming += store.advance(to: store.now)
    }

    func massExtension(_ identifier: String) -> (result: MassExtension, completedAt: Instant)? {
        massExtensions[identifier]
    }

    func setAppAccountToken(_ token: String, of id: String) throws(ServerAPIError) {
        let account = try account(ofOriginal: id)
        let transaction = store.record(of: account).transactions.first { $0.transactionId == id }
        if transaction?.ownership == .familyShared { throw .familyTransactionNotSupported }
        guard store.setAppAccountToken(token, of: id, by: account) else { throw .transactionIdNotFound }
    }

    private func account(ofOriginal id: String) throws(ServerAPIError) -> AccountID {
        guard let account = store.account(ofTransactionId: id) else { throw .transactionIdNotFound }
        guard store.record(of: account).transactions.contains(where: { $0.originalTransactionId == id }) else {
            throw .notOriginalTransactionId
        }
        return account
    }

    /// Signs a test notification, sent with the next step of the clock.
    /// - Returns: its token.
    func requestTest() throws(ServerAPIError) -> String {
        guard configuration.isNotifying else { throw .noNotificationURL }
        let uuid = store.sendTest()
        upcoming += store.advance(to: store.now)
        return TestNotificationToken(uuid: uuid, requestedAt: store.now).text
    }
}

/// The endpoints of the App Store Server API, as Apple groups them for rate limits.
/// https://developer.apple.com/documentation/appstoreserverapi
package enum ServerAPIEndpoint: String, CaseIterable, Hashable, Sendable {
    case transactionInfo, transactionHistory, subscriptionStatuses, appTransactionInfo, finishTransaction
    case consumption, notificationHistory, extendRenewalDate, setAppAccountToken, lookUpOrder, refundHistory
    case massExtension, massExtensionStatus, testNotification, testNotificationStatus
    /// Not of this API, but older. Apple states no limit for it.
    case verifyReceipt

    /// Apple's limit per second and app in production, which it counts per hour. In the sandbox, it is a tenth.
    /// https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits
    package var callsPerSecond: Int {
        switch self {
        case .transactionInfo, .transactionHistory, .subscriptionStatuses, .appTransactionInfo, .finishTransaction,
            .consumption, .notificationHistory, .verifyReceipt:
            50
        case .extendRenewalDate, .setAppAccountToken: 20
        case .lookUpOrder, .refundHistory: 10
        case .massExtension, .massExtensionStatus, .testNotification, .testNotificationStatus: 1
        }
    }
}

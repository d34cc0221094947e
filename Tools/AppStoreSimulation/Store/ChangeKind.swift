/// What can happen in a simulated App Store.
package enum ChangeKind: String, CaseIterable, Hashable, Sendable {
    case initialBuy, resubscribe
    case renewal
    /// A renewal with the product that a downgrade or crossgrade chose.
    case planChangeEffective
    case autoRenewDisabled, autoRenewEnabled
    /// After auto-renewal was turned off.
    case expiry
    /// To a higher level: at once.
    case upgrade
    /// Within a level: at once when the duration stays the same, else with the next renewal.
    case crossgrade
    /// To a lower level: with the next renewal.
    case downgrade
    case planChangeReverted
    case failureWithGrace, failureWithoutGrace, gracePeriodExpiry
    /// The anniversary stays.
    case recoveryInGrace
    /// The anniversary moves.
    case recoveryInRetry
    /// After 60 days.
    case retryExhausted
    case refundFull, refundProrated, refundReversed, refundDeclined, consumptionRequest
    case familyShare, familyRevoke
    case priceIncreasePending, priceIncreaseAccepted, priceIncreaseNotAccepted
    /// The product was removed from sale, and the subscription ends with its period.
    case productUnavailable
    case renewalExtension
    /// An offer redeemed on an active subscription, for its next renewal.
    case offerRedemption
    case oneTimeCharge
    /// To another original transaction id.
    case migration
    /// Set or changed.
    case appAccountToken
    /// The app starts and gets its signed transactions; nothing changes.
    case appLaunch
    /// A test notification, asked for by the developer.
    case test
}

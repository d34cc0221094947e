/// What can happen in a simulated App Store.
package enum ChangeKind: String, CaseIterable, Hashable, Sendable {
    case initialBuy, resubscribe
    /// With another app account token than the purchase before.
    case resubscribeWithAnotherToken
    case renewal
    case renewalWithAnotherToken
    /// A renewal with the product that a downgrade or crossgrade chose.
    case planChangeEffective
    case autoRenewDisabled, autoRenewEnabled
    /// The period charged already still comes, and is the last.
    case autoRenewDisabledAfterCharge
    /// In grace or billing retry, which it ends.
    case autoRenewDisabledAfterFailure
    /// After auto-renewal was turned off.
    case expiry
    /// To a higher level: at once.
    case upgrade
    /// To a plan that ends before the replaced one would have.
    case upgradeToShorterPlan
    /// In the hours before a renewal charged already, which never comes into force.
    case upgradeAfterCharge
    /// What an upgrade replaced is signed again, marked isUpgraded.
    case upgradeMark
    /// Within a level: at once when the duration stays the same, else with the next renewal.
    case crossgrade
    /// To a lower level: with the next renewal.
    case downgrade
    /// A downgrade or crossgrade that comes with the renewal after the one charged already.
    case downgradeAfterCharge
    case planChangeReverted
    case failureWithGrace, failureWithoutGrace, gracePeriodExpiry
    /// The renewal info says isInBillingRetryPeriod false.
    case graceWithoutRetryFlag
    /// Status 4 without gracePeriodExpiresDate.
    case graceWithoutDate
    /// Signed hours after the end of the period.
    case failureSignedLate
    /// The anniversary stays.
    case recoveryInGrace
    /// The anniversary moves.
    case recoveryInRetry
    /// After 60 days.
    case retryExhausted
    case refundFull, refundProrated, refundReversed, refundDeclined, consumptionRequest
    /// After a refund of the same charge was reversed.
    case refundAgain
    /// A renewal charged ahead is refunded before it begins.
    case refundBeforeStart
    /// With a revocationReason and a revocationType that Apple does not document.
    case refundOfUnknownKind
    /// Status 5 with a transaction that carries no revocation.
    case revocationByStatus
    case familyShare, familyRevoke
    /// In the same period, with the same line item.
    case familyRegain
    case priceIncreasePending, priceIncreaseAccepted, priceIncreaseNotAccepted
    /// The product was removed from sale, and the subscription ends with its period.
    case productUnavailable
    case renewalExtension
    /// An offer redeemed on an active subscription, for its next renewal.
    case offerRedemption
    case oneTimeCharge
    /// A non-consumable bought again after its refund, under the same original transaction id.
    case nonConsumableRebuy
    /// To another original transaction id.
    case migration
    /// Set or changed.
    case appAccountToken
    /// The app starts and gets its signed transactions; nothing changes.
    case appLaunch
    /// A test notification, asked for by the developer.
    case test
    /// A device restores a purchase: a new transactionId for the same line item.
    case restore
    /// A second device gets the same purchases signed again.
    case reinstall
    /// A bare transaction from a device, of an app that gets no notifications.
    case devicePosting
    /// A notification of a type, or with a status, that Apple does not document; nothing changes.
    case unknownNotificationType, unknownStatus
    /// A notification that is never delivered, one delivered hours or days after it was signed, and one posted again:
    /// the same notificationUUID and the same nested JWS under a new signature.
    case notificationLost, notificationLate, notificationRetry
    /// Sets of signatures that contradict themselves, see `Contradiction`.
    case renewalInfosOfOneInstant, reversalBeforeRefund, upgradeWithoutSuccessor, malformedToken, endBeforeStart
}

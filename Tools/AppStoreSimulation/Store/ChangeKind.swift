/// The kinds of change in a simulated App Store.
package enum ChangeKind: String, CaseIterable, Hashable, Sendable {
    case initialBuy, resubscribe
    /// A resubscription with another app account token than the purchase before.
    case resubscribeWithAnotherToken
    case renewal
    case renewalWithAnotherToken
    /// A renewal to the product of an earlier downgrade or crossgrade.
    case planChangeEffective
    case autoRenewDisabled, autoRenewEnabled
    /// The period already charged still begins, and is the last.
    case autoRenewDisabledAfterCharge
    /// Auto-renewal turned off in grace or billing retry, which ends the subscription.
    case autoRenewDisabledAfterFailure
    /// The end of the last period after auto-renewal was turned off.
    case expiry
    /// A change to a higher level, at once.
    case upgrade
    /// An upgrade to a plan that ends before the replaced one would have.
    case upgradeToShorterPlan
    /// An immediate change after the next renewal is charged. That renewal never takes effect.
    case upgradeAfterCharge
    /// The replaced transactions, signed again with isUpgraded.
    case upgradeMark
    /// A change within a level: at once when the duration stays the same, else with the next renewal.
    case crossgrade
    /// A crossgrade at once, bought with another app account token than the purchase before.
    case crossgradeWithAnotherToken
    /// A change to a lower level, with the next renewal.
    case downgrade
    /// A downgrade or crossgrade with the renewal after the one already charged.
    case downgradeAfterCharge
    case planChangeReverted
    case failureWithGrace, failureWithoutGrace, gracePeriodExpiry
    /// A grace period whose renewal info states isInBillingRetryPeriod false.
    case graceWithoutRetryFlag
    /// A grace period with status 4 and without gracePeriodExpiresDate.
    case graceWithoutDate
    /// A failed renewal signed hours after the end of the period.
    case failureSignedLate
    /// A recovery that keeps the anniversary.
    case recoveryInGrace
    /// A recovery that moves the anniversary.
    case recoveryInRetry
    /// The end of billing retry, after 60 days.
    case retryExhausted
    case refundFull, refundProrated, refundReversed, refundDeclined, consumptionRequest
    /// A refund of a charge whose earlier refund was reversed.
    case refundAgain
    /// A refund of a period before the running one, which ends nothing.
    case refundOfEarlierPeriod
    /// The refund of a renewal charged ahead, before it begins.
    case refundBeforeStart
    /// A refund with a revocationReason and a revocationType that Apple does not document.
    case refundOfUnknownKind
    /// Status 5 with a transaction without a revocation.
    case revocationByStatus
    case familyShare, familyRevoke
    /// Family sharing resumed in the same period, with the same line item.
    case familyRegain
    case priceIncreasePending, priceIncreaseAccepted, priceIncreaseNotAccepted
    /// The end of a subscription whose product was removed from sale.
    case productUnavailable
    case renewalExtension
    /// An offer redeemed on an active subscription, for its next renewals.
    case offerRedemption
    case oneTimeCharge
    /// A non-consumable bought again after its refund, under the same original transaction id.
    case nonConsumableRebuy
    /// A move to another original transaction id.
    case migration
    /// The app account token set or changed.
    case appAccountToken
    /// A start of the app, which gets its signed transactions; nothing changes.
    case appLaunch
    /// A test notification requested by the developer.
    case test
    /// Results of a mass extension.
    case extensionFailure, massExtension
    /// A purchase restored on a device: a new transactionId for the same line item.
    case restore
    /// The same purchases signed again for a second device.
    case reinstall
    /// A bare transaction posted by a device, for an app without notifications.
    case devicePosting
    /// A notification of a type, or with a status, that Apple does not document; nothing changes.
    case unknownNotificationType, unknownStatus
    /// A notification that is never delivered, one delivered hours or days after it was signed, and one posted again
    /// with the same notificationUUID and the same nested JWS under a new signature.
    case notificationLost, notificationLate, notificationRetry
    /// Artifacts that contradict each other or themselves; see `Contradiction`.
    case renewalInfosOfOneInstant, reversalBeforeRefund, upgradeWithoutSuccessor, malformedToken, endBeforeStart

    /// Whether only a request of the developer causes it. No story contains it.
    package var isRequested: Bool { self == .extensionFailure || self == .massExtension }
}

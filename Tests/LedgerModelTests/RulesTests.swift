import LedgerModel
import Testing

@Suite struct `The rules` {
    @Test func `have the defaults of rules.yaml`() {
        let rules = Rules()
        #expect(rules.version == 1)
        #expect(rules.name == "default")
        #expect(rules.access.ownGraceDays == 0)
        #expect(rules.access.limitedAccessDays == 0)
        #expect(rules.access.renewalLeewayMinutes == 60)
        #expect(rules.access.proratedRefund.rawValue == "revoke")
        #expect(!rules.access.v1GrantsAccess)
        #expect(rules.intro.scope.rawValue == "group")
        #expect(rules.intro.account.rawValue == "customer")
        #expect(rules.intro.familyShared.rawValue == "ignore")
        #expect(rules.intro.refunded.rawValue == "consumes")
        #expect(rules.intro.trialFlagWithPromotionCounts)
        #expect(rules.retention.definition.rawValue == "default")
        #expect(rules.retention.anchor.rawValue == "firstPaid")
        #expect(rules.retention.interval.rawValue == "billingPeriod")
        #expect(rules.retention.zone == "UTC")
        #expect(rules.retention.weekStartsOn.rawValue == "monday")
        #expect(rules.retention.graceRetained)
        #expect(!rules.retention.retryRetained)
        #expect(rules.retention.resubscribe.rawValue == "creditOriginal")
        #expect(rules.retention.planChange.rawValue == "keep")
        #expect(rules.churn.retryDays == 60)
        #expect(rules.churn.winBackFromDays == 1)
        #expect(rules.churn.winBackToDays == 730)
        #expect(rules.revenue.standardRate == 7_000)
        #expect(rules.revenue.higherRate == 8_500)
        #expect(rules.revenue.higherAfterPaidDays == 365)
        #expect(rules.revenue.gapResetsAfterDays == 60)
        #expect(rules.revenue.smallBusiness.isEmpty)
        #expect(rules.revenue.mrr.rawValue == "default")
        #expect(rules.customers.claimConflict.rawValue == "keepFirst")
    }
}

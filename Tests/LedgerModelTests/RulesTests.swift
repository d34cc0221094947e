import LedgerModel
import Testing

@Suite struct `The rules` {
    @Test func `wait an hour for a renewal by default, and grant nothing that Apple does not`() {
        let rules = Rules()
        #expect(rules.access.ownGraceDays == 0)
        #expect(rules.access.limitedAccessDays == 0)
        #expect(rules.access.renewalLeewayMinutes == 60)
        #expect(rules.access.proratedRefund == .revoke)
        #expect(rules.customers.claimConflict == .keepFirst)
    }
}

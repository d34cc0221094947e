/// The decisions that a business may configure, as one value.
package struct Rules: Hashable, Sendable {
    /// A name for people, which decides nothing.
    package var name = "default"
    package var access = Access()
    package var intro = Intro()
    package var customers = Customers()

    package init() {}
}

extension Rules {
    /// The form of a name of rules, and of the person or key that activates them.
    package static let nameForm = "1 to 100 bytes without control characters"

    /// Whether a text has `nameForm`. It then fits into the body of an event even when every byte is escaped.
    package static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension Rules {
    /// The rules of access where Apple's statements alone do not decide it.
    package struct Access: Hashable, Sendable {
        package enum ProratedRefund: String, Sendable, CaseIterable { case revoke, keepToExpiry }

        /// The number of days of billing retry with full access, from the end of the period.
        package var ownGraceDays = 0
        /// The number of days after those with limited access.
        package var limitedAccessDays = 0
        /// The minutes to wait for an overdue renewal. Outside Production, at most 5 and at most a tenth of the period.
        package var renewalLeewayMinutes = 60
        package var proratedRefund = ProratedRefund.revoke

        package init() {}
    }

    /// The rules of introductory offers where Apple's statements alone do not decide it.
    package struct Intro: Hashable, Sendable {
        /// The Apple accounts whose purchases count: all that a customer used, or the one with the newest purchase.
        package enum Account: String, Sendable, CaseIterable { case customer, account }

        package var account = Account.customer

        package init() {}
    }

    package struct Customers: Hashable, Sendable {
        /// The owner of a key that two customers claim with equal strength.
        package enum ClaimConflict: String, Sendable, CaseIterable { case keepFirst, move, share }

        package var claimConflict = ClaimConflict.keepFirst

        package init() {}
    }
}

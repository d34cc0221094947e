extension Rules {
    /// Every key except `version` and `name`, in the order of the file. The reader of the file, the JSON form and the
    /// documentation use this list.
    package static let keys = [
        RuleKey(
            "access", "ownGraceDays", \.access.ownGraceDays, in: 0...366, unit: "days",
            question: "How long does billing retry keep full access, from the end of the period?"),
        RuleKey(
            "access", "limitedAccessDays", \.access.limitedAccessDays, in: 0...366, unit: "days",
            question: "How long does billing retry keep limited access, from the end of full access?"),
        RuleKey(
            "access", "renewalLeewayMinutes", \.access.renewalLeewayMinutes, in: 0...1_440, unit: "minutes",
            question: "How long does an overdue renewal keep access? Outside Production at most 5 minutes and at most "
                + "a tenth of the period."),
        RuleKey(
            "access", "proratedRefund", \.access.proratedRefund,
            question: "Does a prorated refund end access, or is access kept to the end of the period?"),
        RuleKey(
            "intro", "account", \.intro.account,
            question:
                "Whose purchases use up an introductory offer: those of every Apple account of the customer, or of "
                + "the account with the newest purchase?"),
        RuleKey(
            "customers", "claimConflict", \.customers.claimConflict,
            question: "Who owns a subscription that two known customers claim with equal strength: the first, the "
                + "last, or both?"),
    ]

    /// The sections of the file, in its order.
    package static let sections = keys.map(\.section).reduce(into: [String]()) { sections, section in
        if sections.last != section { sections.append(section) }
    }

    package static func keys(in section: String) -> [RuleKey] { keys.filter { $0.section == section } }
}

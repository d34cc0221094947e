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
            "retention", "definition", \.retention.definition,
            question:
                "Who counts as retained, and when? Each definition is described under Retention, churn and revenue."),
        RuleKey(
            "retention", "bridge", \.retention.bridge,
            question:
                "Which gaps between a failed renewal and its recovery count as retained: none, those within Apple's "
                + "grace period, or all?"),
        RuleKey(
            "retention", "zone", timeZone: \.retention.zone,
            question: "In which time zone do days, weeks and months begin?"),
        RuleKey(
            "retention", "weekStartsOn", \.retention.weekStartsOn,
            question: "On which day do weeks begin?"),
        RuleKey(
            "churn", "retryDays", \.churn.retryDays, in: 1...366, unit: "days",
            question: "How many days after a failed renewal is the subscriber counted as churned?"),
        RuleKey(
            "churn", "winBackFromDays", \.churn.winBackFromDays, in: 0...3_660, unit: "days",
            question: "How many days after the end of service does the win-back period begin?"),
        RuleKey(
            "churn", "winBackToDays", \.churn.winBackToDays, in: 0...3_660, unit: "days",
            question: "How many days after the end of service does the win-back period end?"),
        RuleKey(
            "revenue", "standardRate", \.revenue.standardRate, in: 0...10_000, unit: "hundredths of a percent",
            question: "What share of net revenue does Apple pay out?"),
        RuleKey(
            "revenue", "higherRate", \.revenue.higherRate, in: 0...10_000, unit: "hundredths of a percent",
            question: "What share does Apple pay out after a year of paid service, and in the Small Business Program?"),
        RuleKey(
            "revenue", "higherAfterPaidDays", \.revenue.higherAfterPaidDays, in: 0...3_660, unit: "days",
            question: "After how many days of paid service does the higher share begin?"),
        RuleKey(
            "revenue", "gapResetsAfterDays", \.revenue.gapResetsAfterDays, in: 0...3_660, unit: "days",
            question: "After how many days without a subscription do paid days restart from 0?"),
        RuleKey(
            "revenue", "smallBusiness", spans: \.revenue.smallBusiness,
            question: "When was the developer in Apple's Small Business Program?"),
        RuleKey(
            "revenue", "mrr", \.revenue.mrr,
            question: "How is a price converted to a month: a week as 365/84, as 4 or as 4.345 of a month?"),
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

import AppStoreModel

extension StoreCatalog {
    /// The products in the form that `subledger catalog apply` reads.
    package func yaml(bundleId: String) -> String {
        var lines = ["version: 1", "bundleId: \(bundleId)", "groups:"]
        var groups: [String] = []
        for group in products.compactMap(\.group) where !groups.contains(group) { groups.append(group) }
        lines += groups.map { "  - {id: \"\($0)\", name: \"Group \($0)\"}" }
        lines.append("products:")
        lines += products.flatMap(\.yaml)
        return lines.joined(separator: "\n") + "\n"
    }
}

extension StoreProduct {
    fileprivate var yaml: [String] {
        var members = ["id: \(id)"]
        switch type {
        case .autoRenewable:
            members += ["type: autoRenewable", "group: \"\(group ?? "")\"", "level: \(level)"]
            if let period { members.append("duration: \(period.iso8601)") }
            if familyShareable { members.append("familyShareable: true") }
        case .nonConsumable: members.append("type: nonConsumable")
        case .nonRenewing: members += ["type: nonRenewing", "duration: P90D"]
        default: members.append("type: consumable")
        }
        if let trialDays { members.append("trial: {unlocks: unlock, duration: P\(trialDays)D}") }
        if type != .consumable, trialDays == nil { members.append("entitlements: [\(id.split(separator: ".")[0])]") }
        guard !offers.isEmpty else { return ["  - {\(members.joined(separator: ", "))}"] }
        members.append("offers: [")
        return ["  - {\(members.joined(separator: ", "))"] + offers.map { "      \($0.yaml)," } + ["    ]}"]
    }
}

extension StoreOffer {
    fileprivate var yaml: String {
        let kind: [OfferType: String] = [
            .introductory: "introductory", .promotional: "promotional", .offerCode: "offerCode", .winBack: "winBack",
        ]
        let payment: [OfferDiscountType: String] = [
            .freeTrial: "freeTrial", .payAsYouGo: "payAsYouGo", .payUpFront: "payUpFront",
        ]
        var members = ["id: \(id ?? "null")", "kind: \(kind[type] ?? "")", "payment: \(payment[self.payment] ?? "")"]
        members += ["period: \(period.iso8601)", "periods: \(periods)"]
        if price > 0 { members.append("priceMilliunits: \(price)") }
        return "{\(members.joined(separator: ", "))}"
    }
}

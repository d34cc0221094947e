package import Primitives

extension Catalog {
    /// Creates a catalogue from its JSON form.
    /// - Returns: nil for any other JSON.
    package init?(json: JSONView) {
        guard json["version"]?.integer == 1, let bundleId = json.symbol("bundleId"),
            let groups = json["groups"]?.all(Group.init), let products = json["products"]?.all(CatalogProduct.init)
        else { return nil }
        self.init(bundleId: bundleId)
        (self.groups, self.products) = (groups, products)
        guard let paidUntil = json["paidUntil"] else { return }
        guard let read = PaidUntil(json: paidUntil) else { return nil }
        self.paidUntil = read
    }
}

extension Catalog.Group {
    fileprivate init?(json: JSONView) {
        guard let id = json.symbol("id") else { return nil }
        self.init(id: id, name: json["name"]?.string)
    }
}

extension Catalog.PaidUntil {
    fileprivate init?(json: JSONView) {
        guard let entitlements = json["entitlements"]?.all({ $0.string.map { Symbol($0) } }) else { return nil }
        self.init(version: json["version"]?.string, entitlements: entitlements)
        guard let date = json["date"]?.string else { return }
        guard let instant = Instant(iso8601: date) else { return nil }
        self.date = instant
    }
}

extension CatalogProduct {
    fileprivate init?(json: JSONView) {
        guard let id = json.symbol("id"), let kind = json["type"]?.string.flatMap(Kind.init) else { return nil }
        self.init(id: id, kind: kind)
        group = json.symbol("group")
        level = json["level"]?.integer.map { Int($0) }
        isFamilyShareable = json["familyShareable"]?.bool ?? false
        guard json.read("duration", as: CalendarPeriod.init, into: &duration),
            json.read("effectiveFrom", as: { Instant(iso8601: $0) }, into: &effectiveFrom)
        else { return nil }
        if let list = json["entitlements"] {
            guard let entitlements = list.all({ $0.string.map { Symbol($0) } }) else { return nil }
            self.entitlements = entitlements
        }
        if let list = json["offers"] {
            guard let offers = list.all(CatalogOffer.init) else { return nil }
            self.offers = offers
        }
        if let member = json["trial"] {
            guard let trial = Trial(json: member) else { return nil }
            self.trial = trial
        }
    }
}

extension CatalogProduct.Trial {
    fileprivate init?(json: JSONView) {
        guard let unlocks = json.symbol("unlocks"), let duration = json["duration"]?.string.flatMap(CalendarPeriod.init)
        else { return nil }
        self.init(unlocks: unlocks, duration: duration)
    }
}

extension CatalogOffer {
    fileprivate init?(json: JSONView) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init), let periods = json["periods"]?.integer,
            let payment = json["payment"]?.string.flatMap(Payment.init),
            let period = json["period"]?.string.flatMap(CalendarPeriod.init)
        else { return nil }
        self.init(id: json.symbol("id"), kind: kind, payment: payment, period: period, periods: Int(periods))
        priceMilliunits = json["priceMilliunits"]?.integer
    }
}

extension JSONView {
    fileprivate func symbol(_ key: StaticString) -> Symbol? { self[key]?.string.map { Symbol($0) } }

    /// Returns all elements; nil if this is no list of them.
    fileprivate func all<Element>(_ element: (JSONView) -> Element?) -> [Element]? {
        guard let elements else { return nil }
        let read = elements.compactMap(element)
        return read.count == elements.count ? read : nil
    }

    /// Reads a member that may be absent.
    /// - Returns: false for another text.
    fileprivate func read<Value>(
        _ key: StaticString, as value: (String) -> Value?, into target: inout Value?
    ) -> Bool {
        guard let member = self[key] else { return true }
        target = member.string.flatMap(value)
        return target != nil
    }
}

package import LedgerModel
import LedgerStorage
package import Primitives

extension Catalog {
    /// Reads a `.storekit` file of at most 1 MiB.
    /// - Throws: `catalog_invalid`.
    package init(storeKitFile path: String, bundleId: Symbol) throws {
        let limit = 1 << 20
        let bytes: [UInt8]
        do {
            bytes = try InputFile.unchangedBytes(of: path, limit: limit) {}
        } catch let failure as InputFailure {
            throw ConfigurationError(path, "the file cannot be read", found: failure.reason, code: .catalogInvalid)
        }
        guard bytes.count <= limit else {
            throw ConfigurationError(
                path, "the file is too large", expected: "at most 1 MiB", found: "more", code: .catalogInvalid)
        }
        try self.init(storeKit: bytes, bundleId: bundleId, file: path)
    }

    /// Reads a StoreKit configuration, the `.storekit` file of Xcode's StoreKit testing, of format versions 1 to 5.
    ///
    /// The file has no entitlements, no durations of non-renewing subscriptions and no bundle id. Ids of groups are
    /// Apple's only in a file that Xcode syncs with App Store Connect.
    /// - Throws: `catalog_invalid`, naming the member.
    package init(storeKit bytes: [UInt8], bundleId: Symbol, file: String) throws(ConfigurationError) {
        let root: JSONView
        do {
            root = try JSONDocument(parsing: bytes).root
        } catch {
            throw ConfigurationError(file, "the file is not JSON", found: error.description, code: .catalogInvalid)
        }
        self.init(bundleId: bundleId)
        let reader = StoreKitReader(file: file)
        for value in try reader.list("products", of: root) { products.append(try reader.product(value)) }
        for value in try reader.list("nonRenewingSubscriptions", of: root) {
            products.append(try reader.product(value))
        }
        for value in try reader.list("subscriptionGroups", of: root) {
            let group = Group(id: Symbol(try reader.text("id", of: value)), name: value["name"]?.string)
            groups.append(group)
            for product in try reader.list("subscriptions", of: value) {
                products.append(try reader.subscription(product, in: group))
            }
        }
    }
}

/// Reads the members of a StoreKit configuration.
private struct StoreKitReader {
    let file: String

    func list(_ name: StaticString, of value: JSONView) throws(ConfigurationError) -> [JSONView] {
        guard let list = value[name], !list.isNull else { return [] }
        guard let elements = list.elements else { throw invalid(name, expected: "a list", list) }
        return elements
    }

    func text(_ name: StaticString, of value: JSONView) throws(ConfigurationError) -> String {
        guard let text = value[name]?.string, !text.isEmpty else {
            throw invalid(name, expected: "a text", value[name])
        }
        return text
    }

    func product(_ value: JSONView) throws(ConfigurationError) -> CatalogProduct {
        let type = try text("type", of: value)
        let kinds: [String: CatalogProduct.Kind] = [
            "Consumable": .consumable, "NonConsumable": .nonConsumable, "NonRenewingSubscription": .nonRenewing,
        ]
        guard let kind = kinds[type] else {
            throw invalid("type", expected: "one of " + kinds.keys.sorted().joined(separator: ", "), value["type"])
        }
        var product = CatalogProduct(id: Symbol(try text("productID", of: value)), kind: kind)
        product.isFamilyShareable = kind != .consumable && value["familyShareable"]?.bool == true
        return product
    }

    func subscription(_ value: JSONView, in group: Catalog.Group) throws(ConfigurationError) -> CatalogProduct {
        var product = CatalogProduct(id: Symbol(try text("productID", of: value)), kind: .autoRenewable)
        product.group = group.id
        product.level = value["groupNumber"]?.integer.map { Int($0) }
        product.duration = try period("recurringSubscriptionPeriod", of: value)
        product.isFamilyShareable = value["familyShareable"]?.bool == true
        // Format 5 has a list, which replaces the single offer of earlier formats.
        let introductory = try list("introductoryOffers", of: value).first ?? value["introductoryOffer"]
        if let introductory, introductory.isObject { product.offers.append(try offer(introductory, .introductory)) }
        for offer in try list("adHocOffers", of: value) { product.offers.append(try self.offer(offer, .promotional)) }
        for offer in try list("codeOffers", of: value) { product.offers.append(try self.offer(offer, .offerCode)) }
        for offer in try list("winbackOffers", of: value) { product.offers.append(try self.offer(offer, .winBack)) }
        return product
    }

    private func offer(_ value: JSONView, _ kind: CatalogOffer.Kind) throws(ConfigurationError) -> CatalogOffer {
        let payments: [String: CatalogOffer.Payment] = [
            "free": .freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront,
        ]
        guard let payment = payments[try text("paymentMode", of: value)] else {
            let words = payments.keys.sorted().joined(separator: ", ")
            throw invalid("paymentMode", expected: "one of " + words, value["paymentMode"])
        }
        var offer = CatalogOffer(
            kind: kind, payment: payment, period: try period("subscriptionPeriod", of: value),
            periods: value["numberOfPeriods"]?.integer.map { Int($0) } ?? 1)
        switch kind {
        case .introductory: break
        // Transactions identify an offer code by its reference name.
        case .offerCode: offer.id = Symbol(try text("referenceName", of: value))
        case .promotional, .winBack: offer.id = Symbol(try text("offerID", of: value))
        }
        if payment != .freeTrial { offer.priceMilliunits = value["displayPrice"]?.string.flatMap(Self.milliunits) }
        return offer
    }

    private func period(_ name: StaticString, of value: JSONView) throws(ConfigurationError) -> CalendarPeriod {
        guard let period = CalendarPeriod(try text(name, of: value)) else {
            throw invalid(name, expected: CalendarPeriod.form, value[name])
        }
        return period
    }

    /// Reads a decimal number with at most three digits after the point; nil for another text.
    private static func milliunits(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let units = Int64(parts[0]), (0..<1_000_000_000).contains(units) else {
            return nil
        }
        guard parts.count == 2 else { return units * 1_000 }
        let digits = parts[1] + String(repeating: "0", count: max(0, 3 - parts[1].utf8.count))
        guard digits.utf8.count == 3, let fraction = Int64(digits), fraction >= 0 else { return nil }
        return units * 1_000 + fraction
    }

    private func invalid(_ name: StaticString, expected: String, _ value: JSONView?) -> ConfigurationError {
        ConfigurationError(
            file, "invalid value for \(name)", expected: expected,
            found: value.map { JSONValue($0).serialized() } ?? "none", code: .catalogInvalid)
    }
}

package import Primitives

/// An entitlement of a customer, as the catalogue names it.
package struct EntitlementRow: Hashable, Sendable {
    package var id: String
    /// The end if nothing further is heard; nil if it does not end.
    package var until: Instant?
    /// The keys whose purchases give the entitlement, ascending.
    package var because: [SubscriptionID]
    /// The downloads of an app that was paid for, ordered by name.
    package var downloads: [DownloadRow]
    /// The grants that give the entitlement, ordered by position.
    package var grants: [GrantRow]

    package init(
        id: String, until: Instant?, because: [SubscriptionID], downloads: [DownloadRow], grants: [GrantRow]
    ) {
        self.id = id
        self.until = until
        self.because = because
        self.downloads = downloads
        self.grants = grants
    }
}

extension EntitlementRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "id": .string(id), "until": JSONValue(until),
            "because": .array(because.map { .object($0.members) } + downloads.map(\.json) + grants.map(\.json)),
        ])
    }
}

/// A download of an app by an Apple account.
package struct DownloadRow: Hashable, Sendable {
    package var environment: String
    package var bundleId: String
    package var name: Name

    package enum Name: Hashable, Sendable {
        case appTransaction(id: String)
        /// A download without an appTransactionId, as receipts state it.
        case first(at: Instant, version: String)
    }

    package init(environment: String, bundleId: String, name: Name) {
        self.environment = environment
        self.bundleId = bundleId
        self.name = name
    }
}

extension DownloadRow: JSONRepresentable {
    package var json: JSONValue {
        let names: [JSONValue.Member] =
            switch name {
            case .appTransaction(let id): [.init("appTransactionId", .string(id))]
            case .first(let date, let version):
                [
                    .init("appTransactionId", .null), .init("originalPurchaseDate", JSONValue(date)),
                    .init("originalApplicationVersion", .string(version)),
                ]
            }
        return .object(
            [.init("environment", .string(environment)), .init("bundleId", .string(bundleId))] + names)
    }
}

/// A grant of an entitlement by an administrator.
package struct GrantRow: Hashable, Sendable {
    /// The position of the event.
    package var position: UInt64
    /// The reason, in words.
    package var because: String

    package init(position: UInt64, because: String) {
        self.position = position
        self.because = because
    }
}

extension GrantRow: JSONRepresentable {
    package var json: JSONValue {
        .object(["grant": JSONValue(position: position), "because": .string(because)])
    }
}

/// The state of a product for a customer: new, active or inactive.
package struct ProductRow: Hashable, Sendable {
    package var bundleId: String
    package var productId: String
    /// The subscription group; nil for a product that is not auto-renewable.
    package var group: String?
    package var state: String
    /// The entitlement code of WWDC 2020; nil for a new product and for one that is no subscription.
    package var entitlementCode: Double?

    package init(bundleId: String, productId: String, group: String?, state: String, entitlementCode: Double?) {
        self.bundleId = bundleId
        self.productId = productId
        self.group = group
        self.state = state
        self.entitlementCode = entitlementCode
    }
}

extension ProductRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "bundleId": .string(bundleId), "productId": .string(productId), "group": JSONValue(group),
            "state": .string(state), "entitlementCode": entitlementCode.map { .double($0) } ?? .null,
        ])
    }
}

/// The state of a subscription group for a customer: the best of its products' states.
package struct GroupRow: Hashable, Sendable {
    package var bundleId: String
    package var group: String
    package var state: String

    package init(bundleId: String, group: String, state: String) {
        self.bundleId = bundleId
        self.group = group
        self.state = state
    }
}

extension GroupRow: JSONRepresentable {
    package var json: JSONValue {
        .object(["bundleId": .string(bundleId), "group": .string(group), "state": .string(state)])
    }
}

package import Primitives

/// The content of an app receipt: attributes of the app, and of each purchase.
/// https://developer.apple.com/library/archive/releasenotes/General/ValidateAppStoreReceipt/Chapters/ReceiptFields.html
package struct AppReceipt: Sendable, Hashable {
    /// In the order of the receipt, which has no meaning. Those of purchases are apart.
    package let attributes: [ReceiptAttribute]
    /// The attributes of each purchase, in the order of the receipt.
    package let inApp: [[ReceiptAttribute]]
    /// The octets of the bundle id's attribute with tag and length, which the device's hash covers.
    package let bundleIdOctets: [UInt8]

    package init(attributes: [ReceiptAttribute], inApp: [[ReceiptAttribute]], bundleIdOctets: [UInt8]) {
        self.attributes = attributes
        self.inApp = inApp
        self.bundleIdOctets = bundleIdOctets
    }

    /// Production, ProductionSandbox, their counterparts of the Volume Purchase Program, or Xcode. Apple documents none
    /// of them.
    package var receiptType: String? { text(.receiptType) }
    package var bundleId: String? { text(.bundleId) }
    package var applicationVersion: String? { text(.applicationVersion) }
    /// The version of the first download. Always "1.0" in the sandbox.
    package var originalApplicationVersion: String? { text(.originalApplicationVersion) }
    /// 0 in the sandbox, which counts as absent.
    package var appItemId: Int64? { attributes.integer(.appItemId).flatMap { $0 == 0 ? nil : $0 } }
    /// The counterpart of signedDate in a JWS.
    package var receiptCreationDate: Instant? { attributes.date(.receiptCreationDate) }
    /// The date of the first download. Always 2013-08-01T07:00:00Z in the sandbox.
    package var originalPurchaseDate: Instant? { attributes.date(.originalPurchaseDate) }
    /// The end of an app that an organisation bought and can take back.
    package var expirationDate: Instant? { attributes.date(.expirationDate) }

    private func text(_ type: ReceiptAttributeType) -> String? {
        attributes.text(type).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension AppReceipt {
    /// Nil when the receipt has no known type.
    package var environment: Environment? {
        switch receiptType {
        case "Production", "ProductionVPP": .production
        case "ProductionSandbox", "ProductionVPPSandbox": .sandbox
        case "Xcode": .xcode
        default: nil
        }
    }

    /// The purchases that can be read, one for each transactionId, in the order of the receipt; and the number of those
    /// that cannot be read.
    package var purchases: (rows: [InAppPurchase], unreadable: Int) {
        let rows = inApp.compactMap(InAppPurchase.init)
        return (InAppPurchase.merging(rows), inApp.count - rows.count)
    }
}

/// One attribute of a receipt or of a purchase in it.
package struct ReceiptAttribute: Sendable, Hashable {
    package let type: ReceiptAttributeType
    package let version: Int64
    package let value: Value

    package enum Value: Sendable, Hashable {
        case text(String)
        case integer(Int64)
        /// Bytes without a known structure, or with one that is none of the above.
        case octets([UInt8])
    }

    package init(type: ReceiptAttributeType, version: Int64, value: Value) {
        self.type = type
        self.version = version
        self.value = value
    }
}

/// The number of an attribute. Apple documents some and adds others; none is refused.
package struct ReceiptAttributeType: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let receiptType = Self(rawValue: 0)
    package static let appItemId = Self(rawValue: 1)
    package static let bundleId = Self(rawValue: 2)
    package static let applicationVersion = Self(rawValue: 3)
    package static let opaque = Self(rawValue: 4)
    package static let sha1Hash = Self(rawValue: 5)
    package static let receiptCreationDate = Self(rawValue: 12)
    package static let inApp = Self(rawValue: 17)
    package static let originalPurchaseDate = Self(rawValue: 18)
    package static let originalApplicationVersion = Self(rawValue: 19)
    package static let expirationDate = Self(rawValue: 21)

    package static let quantity = Self(rawValue: 1_701)
    package static let productId = Self(rawValue: 1_702)
    package static let transactionId = Self(rawValue: 1_703)
    package static let purchaseDate = Self(rawValue: 1_704)
    package static let originalTransactionId = Self(rawValue: 1_705)
    package static let inAppOriginalPurchaseDate = Self(rawValue: 1_706)
    package static let productType = Self(rawValue: 1_707)
    package static let expiresDate = Self(rawValue: 1_708)
    package static let webOrderLineItemId = Self(rawValue: 1_711)
    package static let cancellationDate = Self(rawValue: 1_712)
    package static let isTrialPeriod = Self(rawValue: 1_713)
    package static let isInIntroOfferPeriod = Self(rawValue: 1_719)
    package static let promotionalOfferId = Self(rawValue: 1_721)

    /// The name that Apple's answers to verifyReceipt, or readers of receipts, give the attribute; nil for an unknown one.
    package var name: String? { Self.names[rawValue] }

    /// Attributes whose octets are the value itself.
    package var isRaw: Bool { (4...7).contains(rawValue) }

    private static let names: [Int64: String] = [
        0: "receipt_type", 1: "app_item_id", 2: "bundle_id", 3: "application_version", 4: "opaque", 5: "sha1_hash",
        10: "age_rating", 12: "receipt_creation_date", 15: "download_id", 16: "version_external_identifier",
        18: "original_purchase_date", 19: "original_application_version", 21: "expiration_date",
        1_701: "quantity", 1_702: "product_id", 1_703: "transaction_id", 1_704: "purchase_date",
        1_705: "original_transaction_id", 1_706: "original_purchase_date", 1_707: "product_type",
        1_708: "expires_date", 1_710: "item_id", 1_711: "web_order_line_item_id", 1_712: "cancellation_date",
        1_713: "is_trial_period", 1_719: "is_in_intro_offer_period", 1_721: "promotional_offer_id",
    ]
}

extension [ReceiptAttribute] {
    /// Returns the text of the first attribute of a type; nil when it is absent or no text.
    package func text(_ type: ReceiptAttributeType) -> String? {
        guard case .text(let text) = first(where: { $0.type == type })?.value else { return nil }
        return text
    }

    package func integer(_ type: ReceiptAttributeType) -> Int64? {
        guard case .integer(let integer) = first(where: { $0.type == type })?.value else { return nil }
        return integer
    }

    package func octets(_ type: ReceiptAttributeType) -> [UInt8]? {
        guard case .octets(let octets) = first(where: { $0.type == type })?.value else { return nil }
        return octets
    }

    /// An RFC 3339 date. Apple writes an absent one as an empty text, and Xcode leaves out the colon of an offset.
    package func date(_ type: ReceiptAttributeType) -> Instant? {
        guard let text = text(type) else { return nil }
        return Instant(iso8601: text) ?? Instant(iso8601: "\(text.dropLast(2)):\(text.suffix(2))")
    }
}

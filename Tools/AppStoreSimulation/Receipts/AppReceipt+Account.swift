package import AppStoreModel
package import Primitives

/// The first attribute of a receipt, which names its environment.
package enum ReceiptType: String, CaseIterable, Sendable {
    case production = "Production"
    case sandbox = "ProductionSandbox"
    /// For an app that an organisation bought with the Volume Purchase Program.
    case volumePurchase = "ProductionVPP"
    case volumePurchaseSandbox = "ProductionVPPSandbox"

    package var environment: Environment {
        switch self {
        case .production, .volumePurchase: .production
        case .sandbox, .volumePurchaseSandbox: .sandbox
        }
    }
}

/// The properties of a receipt besides the purchases.
package struct ReceiptRequest: Sendable {
    /// The type; nil for the one of the store's environment.
    package var type: ReceiptType?
    /// The identifier for vendor of the device; nil for that of the account's device.
    package var guid: UUIDBytes?
    /// The end of an app that an organisation can take back.
    package var expirationDate: Instant?
    /// Tells receipts with the same content apart.
    package var number: UInt64 = 0

    package init() {}
}

extension AccountPurchases {
    /// Returns the app receipt of the account's device, yet to be signed.
    /// - Parameter date: the creation date.
    package func receipt(_ request: ReceiptRequest = ReceiptRequest(), createdAt date: Instant) -> AppReceipt {
        let type = request.type ?? (configuration.environment == .production ? .production : .sandbox)
        let isProduction = type.environment == .production
        let bundleId = ReceiptAttribute(.bundleId, .text(configuration.bundleId))
        let opaque = opaque(request.number, date)
        let hash = ReceiptSigner.deviceHash(
            guid: (request.guid ?? deviceGUID).bytes, opaque: opaque, bundleIdOctets: bundleId.octets)
        let downloadedAt = isProduction ? customer.downloadedAt : Self.sandboxDownload
        var attributes = [
            ReceiptAttribute(.receiptType, .text(type.rawValue)),
            ReceiptAttribute(.appItemId, .integer(isProduction ? configuration.appAppleId ?? 0 : 0)), bundleId,
            ReceiptAttribute(.applicationVersion, .text(configuration.applicationVersion)),
            ReceiptAttribute(.opaque, .octets(opaque)), ReceiptAttribute(.sha1Hash, .octets(hash)),
            ReceiptAttribute(.account, .octets(Array(customer.appTransactionId.utf8))),
            ReceiptAttribute(.receiptCreationDate, .text(date.receiptDate)),
            ReceiptAttribute(.downloadId, .integer(isProduction ? Int64(customer.number + 1) : 0)),
            ReceiptAttribute(
                .versionExternalIdentifier, .integer(isProduction ? configuration.versionExternalIdentifier : 0)),
            ReceiptAttribute(.originalPurchaseDate, .text(downloadedAt.receiptDate)),
            ReceiptAttribute(
                .originalApplicationVersion, .text(isProduction ? configuration.firstApplicationVersion : "1.0")),
        ]
        if let end = request.expirationDate {
            attributes.append(ReceiptAttribute(.expirationDate, .text(end.receiptDate)))
        }
        return AppReceipt(attributes: attributes, inApp: receiptRows.map(\.attributes))
    }

    /// The identifier of the account's device.
    package var deviceGUID: UUIDBytes { random(stream: 0xDE7_1CE) }

    /// The identifier of the device that iOS 6 gives to apps: forty hexadecimal digits.
    var deviceIdentifier: String {
        Hex.encode((random(stream: 0x0D_1D).bytes + random(stream: 0x0D_1E).bytes).prefix(20))
    }

    private func opaque(_ number: UInt64, _ date: Instant) -> [UInt8] {
        random(stream: UInt64(bitPattern: date.milliseconds) &* 31 &+ number).bytes
    }

    /// Returns 16 bytes that depend on the account and a stream.
    private func random(stream: UInt64) -> UUIDBytes {
        var generator = SeededGenerator(seed: seed ^ UInt64(customer.number) << 32, stream: stream)
        return UUIDBytes(value: UInt128(generator.next()) << 64 | UInt128(generator.next()))
    }

    /// The first download of every app in the sandbox.
    private static let sandboxDownload = Instant(milliseconds: 1_375_340_400_000)
}

extension ReceiptAttributeType {
    static let downloadId = Self(rawValue: 15)
    static let versionExternalIdentifier = Self(rawValue: 16)
    /// An attribute that only the App Store reads. Here it names the account by its appTransactionId.
    static let account = Self(rawValue: 7)
}

extension UUIDBytes {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}

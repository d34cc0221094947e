import AppStoreModel

/// Changes receipts as transport, storage and attackers may change them.
package enum ReceiptMutator {
    /// Signed receipts of several forms.
    package static func originals() throws -> [[UInt8]] {
        var (sha1, wrapped) = (ReceiptSigner.Options(), ReceiptSigner.Options())
        sha1.usesSHA1 = true
        wrapped.isWrapped = true
        return [
            try ReceiptSigner.standard.sign(receipt(0)), try ReceiptSigner.standard.sign(receipt(3)),
            try ReceiptSigner.standard.sign(receipt(2), sha1), try ReceiptSigner.standard.sign(receipt(1), wrapped),
        ]
    }

    /// The contents of receipts.
    package static var contents: [[UInt8]] { [receipt(0).content, receipt(3).content] }

    private static func receipt(_ count: Int) -> AppReceipt {
        func purchase(_ id: Int) -> [ReceiptAttribute] {
            [
                ReceiptAttribute(.quantity, .integer(1)), ReceiptAttribute(.productId, .text("com.example.app.pro")),
                ReceiptAttribute(.transactionId, .text("200000000000000\(id)")),
                ReceiptAttribute(.originalTransactionId, .text("2000000000000001")),
                ReceiptAttribute(.purchaseDate, .text("2026-01-1\(id)T10:00:00Z")),
                ReceiptAttribute(.productType, .integer(3)),
                ReceiptAttribute(.expiresDate, .text("2026-01-1\(id + 1)T10:00:00Z")),
            ]
        }
        return AppReceipt(
            attributes: [
                ReceiptAttribute(.receiptType, .text("ProductionSandbox")),
                ReceiptAttribute(.bundleId, .text("com.example.app")),
                ReceiptAttribute(.applicationVersion, .text("2.5")),
                ReceiptAttribute(.receiptCreationDate, .text("2024-01-15T11:59:00Z")),
            ],
            inApp: (0..<count).map { purchase($0 + 1) })
    }

    package static func mutation(of original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = original
        // Most of a receipt is certificates. Half of the changes are made elsewhere.
        let place = random.chance(percent: 50) ? random.below(bytes.count) : random.below(min(600, bytes.count))
        switch random.below(8) {
        case 0:
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
        case 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 3: bytes = random.chance(percent: 50) ? Array(bytes[place...]) : Array(bytes[..<place])
        case 4: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 5: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(8)))
        case 6: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + random.below(64))], at: place)
        default: bytes += (0...random.below(32)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        return bytes
    }
}

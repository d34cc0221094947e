package import AppStoreModel
package import Primitives

/// The bytes of a receipt, in base64 or not.
package enum ReceiptBytes {
    /// The maximum size in bytes, decoded.
    package static let limit = 8 * 1_024 * 1_024

    /// Whether bytes look like a receipt: a SEQUENCE in BER, or base64 of one or of a property list. A JWS contains dots.
    package static func isReceipt(_ bytes: [UInt8]) -> Bool {
        guard let start = bytes.firstIndex(where: { $0 > 0x20 }), bytes.count - start >= 2 else { return false }
        let (first, second) = (bytes[start], bytes[start + 1])
        if first == 0x30, second >= 0x80 { return true }
        let isBase64 =
            first == UInt8(ascii: "M") && second == UInt8(ascii: "I")
            || first == UInt8(ascii: "e") && second == UInt8(ascii: "w")
        return isBase64 && !bytes.contains(UInt8(ascii: "."))
    }

    /// Decodes base64, which may have white space in it and lack its padding. DER and a property list remain as they are.
    /// - Throws: `payload_too_large`, `cms_malformed`.
    static func decoded(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
        let isDER = bytes.first == 0x30 && bytes.count > 1 && bytes[1] >= 0x80
        let isPropertyList = bytes.first == UInt8(ascii: "{")
        // Base64 takes a third more.
        guard bytes.count <= (isDER || isPropertyList ? limit : limit / 3 * 4) else {
            throw Refusal(
                .payloadTooLarge, "receipt too large", expected: "at most \(limit) bytes", found: "more")
        }
        if isDER || isPropertyList { return bytes }
        var text = bytes.filter { $0 > 0x20 }
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        guard let decoded = text.withUnsafeBytes(Base64.decode(_:)), Self.isContainer(decoded) else {
            throw Refusal(
                .cmsMalformed, "the receipt is neither base64 nor DER", expected: "base64 of a PKCS#7 container",
                found: bytes.isEmpty ? "nothing" : "other bytes", isFinal: true)
        }
        return decoded
    }

    /// Whether bytes begin like a SEQUENCE in BER or like a property list.
    private static func isContainer(_ bytes: [UInt8]) -> Bool {
        bytes.first == 0x30 || bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
    }
}

/// The content of a receipt, unverified.
package enum ReceiptContent: Sendable {
    case app(AppReceipt)
    case transaction(TransactionReceipt)

    /// - Parameter bytes: base64 or DER.
    /// - Throws: `payload_too_large`, `cms_malformed`, `asn1_malformed`, `asn1_limit`.
    package init(_ bytes: [UInt8]) throws(Refusal) {
        let decoded = try ReceiptBytes.decoded(bytes)
        if let receipt = TransactionReceipt(decoded) {
            self = .transaction(receipt)
        } else {
            self = .app(try StoredReceipt(decoded).receipt.payload)
        }
    }

    /// Returns a receipt of iOS 6 and its property list; nil for other bytes.
    /// - Parameter bytes: the property list, or base64 of it.
    package static func transactionReceipt(_ bytes: [UInt8]) -> (receipt: TransactionReceipt, plist: [UInt8])? {
        guard let plist = try? ReceiptBytes.decoded(bytes), let receipt = TransactionReceipt(plist)
        else { return nil }
        return (receipt, plist)
    }

    /// The creation date of an app receipt. Receipts of iOS 6 have none.
    package var creationDate: Instant? {
        switch self {
        case .app(let receipt): receipt.receiptCreationDate
        case .transaction: nil
        }
    }

    package var transactionIds: [String] {
        switch self {
        case .app(let receipt): receipt.purchases.rows.map(\.transactionId)
        case .transaction(let receipt): receipt.transactionId.map { [$0] } ?? []
        }
    }
}

import Primitives

/// A receipt of one transaction, as apps sent it until iOS 6: a property list whose signature only Apple can verify.
///
/// Its environment is outside the signature, so it proves nothing. It serves as a token for verifyReceipt.
package struct TransactionReceipt: Sendable, Hashable {
    /// The entries of the purchase, in their order.
    package let purchaseInfo: [Entry]
    /// The environment as the list states it; nil for Production.
    package let environment: String?

    /// The maximum size in bytes. Apple's receipts have 3 KiB.
    private static let limit = 64 * 1_024

    package struct Entry: Sendable, Hashable {
        package let key: String
        package let value: String
    }

    package var bundleId: String? { value("bid") }
    package var transactionId: String? { value("transaction-id") }
    package var originalTransactionId: String? { value("original-transaction-id") }

    /// Reads a property list of the old style; nil when it is none, or has no purchase.
    /// - Complexity: O(n).
    package init?(_ bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "{"), bytes.count <= Self.limit else { return nil }
        let outer = Self.entries(in: bytes)
        guard let info = outer.first(where: { $0.key == "purchase-info" })?.value, let decoded = Base64.decode(info)
        else { return nil }
        purchaseInfo = Self.entries(in: decoded)
        environment = outer.first { $0.key == "environment" }?.value
    }

    private func value(_ key: String) -> String? {
        purchaseInfo.first { $0.key == key }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// Returns the entries `"key" = "value";`. Their texts have no quotes inside.
    private static func entries(in bytes: [UInt8]) -> [Entry] {
        let texts = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        // Outside the quotes, an equals sign separates key and value.
        return stride(from: 1, to: texts.count - 2, by: 4).compactMap { index in
            guard texts[index + 1].contains(UInt8(ascii: "=")) else { return nil }
            return Entry(
                key: String(decoding: texts[index], as: UTF8.self),
                value: String(decoding: texts[index + 2], as: UTF8.self))
        }
    }
}

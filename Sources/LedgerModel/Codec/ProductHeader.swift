import AppStoreModel
import Primitives

/// The product that the row of a transaction states, by the symbol numbers of one store, read without decoding the rest.
package struct ProductHeader: Hashable, BitwiseCopyable, Sendable {
    private let environment: UInt32
    private let bundle: UInt32
    private let productId: UInt32
    private let group: UInt32?
    private let type: UInt32?

    /// Reads a row; nil for a row that states no product of a transaction.
    /// - Throws: `FactCodecError` for a row that is truncated or of another version.
    package init?(_ row: RawSpan) throws(FactCodecError) {
        guard try FactHeader.key(of: row) != nil, row.byte(at: 5) == FactCodec.Kind.transaction.rawValue else {
            return nil
        }
        var reader = try FactReader(row, symbols: .process)
        (environment, bundle) = (try reader.symbolNumber(), try reader.symbolNumber())
        _ = try reader.idNumber()
        if reader.take(0) { _ = try reader.symbolNumber() }
        // The digest and the time.
        for _ in 0..<5 { _ = try reader.word() }
        // transactionId, appTransactionId, previousOriginalTransactionId, companion, webOrderLineItemId.
        _ = try reader.idNumber()
        for tag: UInt8 in 1...4 where reader.take(tag) { _ = try reader.idNumber() }
        guard reader.take(5) else { return nil }
        productId = try reader.symbolNumber()
        group = reader.take(6) ? try reader.symbolNumber() : nil
        type = reader.take(7) ? try reader.symbolNumber() : nil
    }

    /// Returns the product with its names; nil for a number that the store does not have.
    package func product(_ symbols: SymbolNumbers) -> StatedProduct? {
        guard let environment = symbols[environment], let bundle = symbols[bundle], let id = symbols[productId] else {
            return nil
        }
        return StatedProduct(
            environment: Environment(symbol: environment), bundleId: bundle, id: id,
            group: group.flatMap { symbols[$0] }, type: type.flatMap { symbols[$0] }.map { ProductType(symbol: $0) })
    }
}

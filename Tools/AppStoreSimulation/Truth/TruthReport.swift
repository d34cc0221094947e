import AppStoreModel
package import Primitives

/// The truth of a simulated App Store as JSON.
package struct TruthReport: Sendable {
    package let json: JSONValue

    package init(at instant: Instant, seed: UInt64, _ rows: [TruthRow]) {
        json = .object([
            "at": JSONValue(instant), "seed": .integer(Int64(bitPattern: seed)),
            "subscriptions": .array(rows.map(Self.row)),
        ])
    }

    private static func row(_ row: TruthRow) -> JSONValue {
        let state = row.state
        return .object([
            "environment": .string(row.environment.rawValue), "bundleId": .string(row.bundleId),
            "originalTransactionId": .string(row.originalTransactionId), "customer": .integer(Int64(row.customer)),
            "productId": .string(state.productId), "status": .string(state.status.rawValue),
            "expiresAt": JSONValue(state.expiresAt), "willRenew": JSONValue(state.willRenew),
            "pendingProductId": JSONValue(state.pendingProductId), "ownership": .string(row.ownership.rawValue),
            "revokedAt": JSONValue(state.revokedAt), "introConsumedBy": JSONValue(state.introConsumedBy),
            "paidDays": .integer(row.paidDays),
        ])
    }
}

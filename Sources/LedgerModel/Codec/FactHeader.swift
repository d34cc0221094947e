import Primitives

/// The identifiers in a row that join facts, read without decoding the fact. Two rows are folded together when they share
/// one, directly or through others.
package struct FactHeader: BitwiseCopyable, Sendable {
    /// The subscription key; nil for a fact about a download of the app.
    package let key: FactNode?
    /// The Apple account that the fact states.
    package let account: FactNode?
    /// The key from which the history migrated.
    package let predecessor: FactNode?

    /// Reads a row. The nodes are comparable only with those of rows with the same symbol numbers.
    /// - Throws: `FactCodecError` for a row that is truncated or of another version.
    package init(_ row: RawSpan) throws(FactCodecError) {
        guard row.byteCount >= FactCodec.symbolsOffset else {
            throw FactCodecError(.truncated, expected: "a row", found: "\(row.byteCount) bytes")
        }
        guard row.byte(at: 4) == FactCodec.version else {
            throw FactCodecError(.versionUnknown, expected: "\(FactCodec.version)", found: "\(row.byte(at: 4))")
        }
        guard row.byte(at: 7) == 0 else {
            (key, account, predecessor) = (nil, nil, nil)
            return
        }
        var reader = try FactReader(row, symbols: .process)
        let (environment, bundleId) = (try reader.symbolNumber(), try reader.symbolNumber())
        func node(_ kind: FactNode.Kind, _ id: UInt64) -> FactNode {
            FactNode(kind, environment: environment, bundleId: bundleId, id: id)
        }
        key = node(.subscription, try reader.idNumber())
        if reader.take(0) { _ = try reader.symbolNumber() }
        // The digest and the time.
        for _ in 0..<5 { _ = try reader.word() }
        let kind = FactCodec.Kind(rawValue: row.byte(at: 5))
        if kind == .transaction { _ = try reader.idNumber() }
        let joins = kind == .transaction || kind == .renewal
        account = joins && reader.take(1) ? node(.account, try reader.idNumber()) : nil
        predecessor = kind == .transaction && reader.take(2) ? node(.subscription, try reader.idNumber()) : nil
    }
}

/// A subscription key or an Apple account, by the symbol numbers of one store.
package struct FactNode: Hashable, BitwiseCopyable, Sendable {
    enum Kind: UInt64 {
        case subscription = 0
        case account = 1
    }

    /// The kind and the numbers of environment and bundleId.
    package let scope: UInt64
    package let id: UInt64

    init(_ kind: Kind, environment: UInt32, bundleId: UInt32, id: UInt64) {
        // A store has fewer than 2^31 symbols, since each takes more than one byte.
        scope = kind.rawValue << 63 | UInt64(environment) << 32 | UInt64(bundleId)
        self.id = id
    }
}

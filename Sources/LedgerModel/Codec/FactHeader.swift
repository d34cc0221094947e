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
    /// The key that a receipt states beside this one.
    package let companion: FactNode?

    /// Reads a row. The nodes are comparable only with those of rows with the same symbol numbers.
    /// - Throws: `FactCodecError` for a row that is truncated or of another version.
    package init(_ row: RawSpan) throws(FactCodecError) {
        guard try Self.isAboutSubscription(row) else {
            (key, account, predecessor, companion) = (nil, nil, nil, nil)
            return
        }
        var reader = try FactReader(row, symbols: .process)
        let scope = try FactNode.Scope(&reader)
        key = FactNode(.subscription, scope, id: try reader.idNumber())
        if reader.take(0) { _ = try reader.symbolNumber() }
        // The digest and the time.
        for _ in 0..<5 { _ = try reader.word() }
        let kind = FactCodec.Kind(rawValue: row.byte(at: 5))
        if kind == .transaction { _ = try reader.idNumber() }
        let joins = kind == .transaction || kind == .renewal
        account = joins && reader.take(1) ? FactNode(.account, scope, id: try reader.idNumber()) : nil
        predecessor =
            kind == .transaction && reader.take(2) ? FactNode(.subscription, scope, id: try reader.idNumber()) : nil
        companion =
            kind == .transaction && reader.take(3) ? FactNode(.subscription, scope, id: try reader.idNumber()) : nil
    }

    /// Returns the subscription key of a row; nil for a fact about a download of the app.
    /// - Throws: the errors of `init`.
    package static func key(of row: RawSpan) throws(FactCodecError) -> FactNode? {
        guard try isAboutSubscription(row) else { return nil }
        var reader = try FactReader(row, symbols: .process)
        let scope = try FactNode.Scope(&reader)
        return FactNode(.subscription, scope, id: try reader.idNumber())
    }

    private static func isAboutSubscription(_ row: RawSpan) throws(FactCodecError) -> Bool {
        guard row.byteCount >= FactCodec.symbolsOffset else {
            throw FactCodecError(.truncated, expected: "a row", found: "\(row.byteCount) bytes")
        }
        guard row.byte(at: 4) == FactCodec.version else {
            throw FactCodecError(.versionUnknown, expected: "\(FactCodec.version)", found: "\(row.byte(at: 4))")
        }
        return row.byte(at: 7) == 0
    }
}

/// A subscription key or an Apple account, by the symbol numbers of one store.
public struct FactNode: Hashable, BitwiseCopyable, Sendable {
    enum Kind: UInt64 {
        case subscription = 0
        case account = 1
    }

    /// The kind and the numbers of environment and bundleId.
    public let scope: UInt64
    public let id: UInt64

    // Public, since other modules call a package operator through a witness.
    @inlinable
    public static func == (left: FactNode, right: FactNode) -> Bool {
        left.id == right.id && left.scope == right.scope
    }

    /// The numbers of environment and bundleId.
    struct Scope {
        let numbers: UInt64

        init(_ reader: inout FactReader) throws(FactCodecError) {
            // A store has fewer than 2^31 symbols, since each takes more than one byte.
            numbers = UInt64(try reader.symbolNumber()) << 32 | UInt64(try reader.symbolNumber())
        }
    }

    init(_ kind: Kind, _ scope: Scope, id: UInt64) {
        self.scope = kind.rawValue << 63 | scope.numbers
        self.id = id
    }
}

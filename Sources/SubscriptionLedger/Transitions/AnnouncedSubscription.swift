import AppStoreModel
import FactStore
import LedgerModel
import Primitives

/// The state and owners of a subscription after its last row, and the instant of its next row.
struct AnnouncedSubscription: Hashable, Sendable {
    let key: SubscriptionKey
    /// The fingerprint of the state after the last row; nil without a state.
    var held: UInt128?
    /// The owners named in the last row.
    var owners: Set<Ownership.Owner> = []
    /// The instant of the next row that needs no event; nil when none is due.
    var due: Instant?
    /// The number of statuses that Apple signed for the subscription and that differ from the fold.
    var disagreements: UInt32 = 0

    init(key: SubscriptionKey) { self.key = key }

    var hash: [UInt8] { number.bigEndianBytes }

    /// The hash as a number of the same order.
    var number: UInt128 { IndexTerm.subscription(key).hash }

    /// Returns the key in `due`: the instant, then `dueOrder`.
    func dueKey(_ due: Instant) -> [UInt8] { due.orderedBytes + dueOrder }

    /// The order of subscriptions that are due at the same instant: by key, which is truncated to fit the 511 bytes of
    /// an LMDB key, and then by hash.
    var dueOrder: [UInt8] {
        var bytes: [UInt8] = []
        key.appendOrdered(to: &bytes)
        return bytes.prefix(448) + hash
    }

    var bytes: [UInt8] {
        // The separator does not occur in UTF-8.
        (held ?? 0).bigEndianBytes + (due?.milliseconds ?? .max).bigEndianBytes + disagreements.bigEndianBytes
            + Self.joined(keyParts + owners.sorted().map(\.text), by: 0xFF)
    }

    private var keyParts: [String] { [key.environment.rawValue, key.bundleId, key.originalTransactionId] }

    private static func joined(_ parts: [String], by separator: UInt8) -> [UInt8] {
        Array(parts.map { Array($0.utf8) }.joined(separator: [separator]))
    }

    init?(_ bytes: [UInt8]) {
        var fields = bytes[...]
        guard let held = UInt128(taking: &fields), let due = Int64(taking: &fields),
            let disagreements = UInt32(taking: &fields)
        else { return nil }
        let parts = fields.split(separator: 0xFF, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count >= 3 else { return nil }
        key = SubscriptionKey(
            environment: Environment(rawValue: parts[0]), bundleId: parts[1], originalTransactionId: parts[2])
        owners = Set(parts.dropFirst(3).compactMap(Ownership.Owner.init))
        self.held = held == 0 ? nil : held
        self.disagreements = disagreements
        self.due = due == .max ? nil : Instant(milliseconds: due)
    }
}

extension FixedWidthInteger {
    /// Creates a number from the first bytes, which are big-endian, and removes them; nil when there are too few bytes.
    init?(taking bytes: inout ArraySlice<UInt8>) {
        let size = Self.bitWidth / 8
        guard bytes.count >= size else { return nil }
        self = bytes.prefix(size).reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
        bytes = bytes.dropFirst(size)
    }
}

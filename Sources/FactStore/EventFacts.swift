import AppStoreModel
package import LedgerModel
package import Primitives

/// The facts of one event as one stored value: its observations, each with its timeline.
///
/// `count u8`, then for each observation: key kind u8, the key's three strings and the encoded observation, each after
/// its length (u32, little-endian). The customer fact of one of the ledger's own events follows.
package struct EventFacts: Sendable {
    package let observations: [KeyedObservation]
    package let customerFact: CustomerFact?

    package init(_ observations: [KeyedObservation]) {
        self.observations = observations
        customerFact = nil
    }

    package init(_ customerFact: CustomerFact) {
        observations = []
        self.customerFact = customerFact
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        bytes.append(UInt8(observations.count))
        for keyed in observations {
            let parts: [String]
            switch keyed.key {
            case .subscription(let key):
                bytes.append(0)
                parts = [key.environment.rawValue, key.bundleId, key.originalTransactionId]
            case .appAccount(let key):
                switch key.account {
                case .appTransaction(let id):
                    bytes.append(1)
                    parts = [key.environment.rawValue, key.bundleId, id.text]
                case .customer(let handle):
                    bytes.append(2)
                    parts = [key.environment.rawValue, key.bundleId, String(handle.value, radix: 16)]
                }
            }
            for part in parts { Self.append(part.utf8, to: &bytes) }
            Self.append(FactCodec.encode(keyed.observation), to: &bytes)
        }
        customerFact?.append(to: &bytes)
        return bytes
    }

    /// - Returns: nil when the bytes are of another version or damaged.
    package init?(bytes: [UInt8], position: Position, recordedAt: Instant) {
        var rest = bytes[...]
        guard let count = rest.popFirst() else { return nil }
        var observations: [KeyedObservation] = []
        for _ in 0..<count {
            guard let kind = rest.popFirst(), let environment = Self.string(&rest), let bundleId = Self.string(&rest),
                let id = Self.string(&rest), let fact = Self.take(&rest),
                let key = Self.key(kind, Environment(rawValue: environment), bundleId, id),
                let observation = try? FactCodec.decode(fact, position: position, recordedAt: recordedAt)
            else { return nil }
            observations.append(KeyedObservation(key: key, observation: observation))
        }
        if rest.isEmpty {
            customerFact = nil
        } else {
            guard let fact = CustomerFact(taking: &rest, position: position), rest.isEmpty else { return nil }
            customerFact = fact
        }
        self.observations = observations
    }

    private static func key(
        _ kind: UInt8, _ environment: Environment, _ bundleId: String, _ id: String
    ) -> TimelineKey? {
        switch kind {
        case 0:
            return .subscription(
                SubscriptionKey(environment: environment, bundleId: bundleId, originalTransactionId: id))
        case 1:
            return .appAccount(
                AppAccountKey(environment: environment, bundleId: bundleId, account: .appTransaction(AppleID(id))))
        case 2:
            return UInt128(id, radix: 16).map {
                .appAccount(
                    AppAccountKey(
                        environment: environment, bundleId: bundleId, account: .customer(CustomerHandle(value: $0))))
            }
        default:
            return nil
        }
    }

    static func append(_ part: some Collection<UInt8>, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(part.count).littleEndian) { bytes += $0 }
        bytes += part
    }

    static func take(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.count >= 4 else { return nil }
        let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= rest.count - 4 else { return nil }
        defer { rest = rest.dropFirst(4 + count) }
        return Array(rest.dropFirst(4).prefix(count))
    }

    static func string(_ rest: inout ArraySlice<UInt8>) -> String? {
        take(&rest).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

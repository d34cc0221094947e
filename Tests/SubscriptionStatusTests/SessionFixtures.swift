@_spi(Verification) import AppStoreModel
import FoundationEssentials
import LedgerModel
import Primitives

/// Real sandbox notifications of one subscription. They are decoded without verification, because only the folds are
/// under test.
enum SessionFixtures {
    /// The JWS of the notifications; nil if the folder is absent.
    static let notifications: [[UInt8]]? = {
        let root = ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"] ?? "../shared/fixtures"
        let folder = root + "/notifications-v2"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        return try? names.filter { $0.hasPrefix("session-") }.sorted().map { name in
            let body = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            return try JSONDocument(parsing: Array(body)).root["signedPayload"]?.string.map { Array($0.utf8) } ?? []
        }
    }()

    /// The observations in the event at `position`.
    static func observations(in jws: [UInt8], at position: Position) throws -> [KeyedObservation] {
        let translation = Translation(position: position, recordedAt: Instant(milliseconds: Int64(position) * 1_000))
        let notification = try signed(jws, Notification.init)
        let data = notification.verified.payload.data
        return translation.notification(
            notification,
            transaction: try data?.signedTransactionInfo.map { try signed($0, Transaction.init) },
            renewalInfo: try data?.signedRenewalInfo.map { try signed($0, RenewalInfo.init) })
    }

    /// The observations in events that contain only the nested JWS, without the notification.
    static func nested(in jws: [UInt8], at position: Position) throws -> [KeyedObservation] {
        try observations(in: jws, at: position).filter {
            guard case .notification = $0.observation.fact else { return true }
            return false
        }
    }

    private static func signed<Payload>(
        _ jws: [UInt8], _ decode: (JSONView) throws -> Payload
    ) throws -> SignedPayload<Payload> {
        let segments = jws.split(separator: UInt8(ascii: "."))
        let signingInput = jws.prefix(segments[0].count + 1 + segments[1].count)
        let payload = Base64URL.decode(String(decoding: segments[1], as: UTF8.self)) ?? []
        let decoded = try decode(JSONDocument(parsing: payload).root)
        return SignedPayload(Verified(payload: decoded), digest: .sha256(of: signingInput))
    }
}

/// The timelines of observations, by key.
func timelines(of observations: [KeyedObservation]) -> [SubscriptionKey: Timeline] {
    var timelines: [SubscriptionKey: [Observation]] = [:]
    for keyed in observations {
        guard case .subscription(let key) = keyed.key else { continue }
        timelines[key, default: []].append(keyed.observation)
    }
    return timelines.mapValues { Timeline($0) }
}

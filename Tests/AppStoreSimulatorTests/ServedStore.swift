import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import Crypto
import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JWTKit
import Logging
import NIOCore
package import Primitives
import Testing

/// A simulated App Store with its routes, whose clock the test moves.
struct ServedStore {
    static let issuerId = "5ab1ed6e-0000-4000-8000-000000000001"

    let store: SimulatedAppStore
    private let simulator: AppStoreSimulator
    private let token: String

    init(
        seed: UInt64 = 1, customers: Int = 60, faults: Faults = Faults(), isNotifying: Bool = false,
        isPosting: Bool = false, postingForm: PostingForm = .transactions, isNotifyingVersion1: Bool = false,
        environment: AppStoreModel.Environment = .production, isAccelerated: Bool = false
    ) async throws {
        var configuration = isAccelerated ? StoreConfiguration() : .lifelike
        configuration.delivery = NotificationDelivery()
        configuration.environment = isAccelerated ? .sandbox : environment
        configuration.isAccelerated = isAccelerated
        var served = SimulatedAppStore.Configuration(
            Simulation(seed: seed, customers: customers, store: configuration))
        served.faults = faults
        served.isNotifying = isNotifying
        served.isPosting = isPosting
        served.postingForm = postingForm
        served.isNotifyingVersion1 = isNotifyingVersion1
        served.speed = .times(0)
        store = try SimulatedAppStore(served)
        let key = P256.Signing.PrivateKey()
        let credentials = try await APICredentials(bundleId: configuration.bundleId, key: key)
        simulator = AppStoreSimulator(
            store, credentials, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        token = try await Self.token(key: key)
    }

    /// Signs a token as Apple's libraries do.
    static func token(
        key: P256.Signing.PrivateKey, kid: String = "SIMULATOR1", bundleId: String = "com.example.app",
        audience: String = "appstoreconnect-v1", issuer: String = issuerId, issuedAt: Date = Date(),
        seconds: Double = 300
    ) async throws -> String {
        let keys = await JWTKeyCollection().add(
            ecdsa: try ES256PrivateKey(pem: key.pemRepresentation), kid: JWKIdentifier(string: kid))
        return try await keys.sign(
            Claims(
                iss: issuer, iat: Int(issuedAt.timeIntervalSince1970),
                exp: Int(issuedAt.timeIntervalSince1970 + seconds), aud: audience, bid: bundleId),
            kid: JWKIdentifier(string: kid))
    }

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int
        let exp: Int
        let aud: String
        let bid: String

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// Plays to the day after the start, with everything due sent by `send`.
    func play(
        toDay day: Int64, send: (Delivery) async -> SendAttemptResult = { _ in .success }
    ) async {
        let start = store.configuration.simulation.start
        await play(to: start.advanced(byMilliseconds: day * Instant.millisecondsPerDay), send: send)
    }

    /// Plays to the day after the start, with the postings of devices passed to `post`.
    func play(toDay day: Int64, post: (DevicePosting) async -> Bool) async {
        let start = store.configuration.simulation.start
        await store.play(to: start.advanced(byMilliseconds: day * Instant.millisecondsPerDay))
        while await store.isPlaying {
            for posting in await store.step(after: .zero).postings {
                await store.record(posting.number, isTaken: await post(posting))
            }
            await store.endStep()
        }
    }

    func play(
        to instant: Instant, send: (Delivery) async -> SendAttemptResult = { _ in .success }
    ) async {
        await store.play(to: instant)
        while await store.isPlaying {
            for delivery in await store.step(after: .zero).notifications {
                await store.record(delivery.isLost ? .timedOut : await send(delivery), of: delivery.uuid)
            }
            await store.endStep()
        }
    }

    struct Answer {
        let status: Int
        let headers: HTTPFields
        let body: JSONView?

        var code: Int64? { body?["errorCode"]?.integer }
    }

    /// - Parameter isLive: whether the call goes through a server, which adds headers of its own.
    func call(
        _ method: HTTPRequest.Method = .get, _ path: String, _ body: JSONValue? = nil, token: String? = nil,
        isLive: Bool = false
    ) async throws -> Answer {
        let application = simulator.application(host: "127.0.0.1", port: 0)
        return try await application.test(isLive ? .live : .router) { client in
            let response = try await client.execute(
                uri: path, method: method, headers: [.authorization: "Bearer \(token ?? self.token)"],
                body: body.map { ByteBuffer(string: $0.serialized()) })
            let bytes = Array(response.body.readableBytesView)
            return Answer(
                status: response.status.code, headers: response.headers,
                body: bytes.isEmpty ? nil : try JSONDocument(parsing: bytes).root)
        }
    }
}

/// Returns the payload of a compact JWS.
func payload(_ jws: String?) throws -> JSONView {
    let parts = try #require(jws).split(separator: ".")
    let bytes = try #require(parts.count == 3 ? Base64URL.decode(String(parts[1])) : nil)
    return try JSONDocument(parsing: bytes).root
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral number: Int64) { self = .integer(number) }
    package init(booleanLiteral flag: Bool) { self = .bool(flag) }
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }
}

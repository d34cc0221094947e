package import AppStoreClient
import AppStoreModel
import EventLog
import Ingestion
import IntroOffers
package import LedgerAPI
import LedgerModel
package import Primitives

/// Signs offers for customers who may get them.
///
/// An introductory offer is for a customer whose Apple account never used one of the group and has no subscription of it;
/// a promotional one for a customer who has, or had, a subscription of the app.
/// https://developer.apple.com/documentation/storekit/implementing-promotional-offers-in-your-app
package struct OfferSigner: Sendable {
    private let ledger: LedgerWriter
    private let credentials: [String: ServerAPICredentials]

    private static let act = "signOffer"

    /// - Parameter credentials: the keys by bundle id.
    package init(_ ledger: LedgerWriter, _ credentials: [String: ServerAPICredentials]) {
        self.ledger = ledger
        self.credentials = credentials
    }

    /// Signs an offer. The terms become an event before, the signature does not.
    /// - Throws: `CustomerError`: `offer_ineligible`, `offer_unknown`, `transaction_unknown`, `key_not_configured`,
    ///   `idempotency_key_reused`, `parameter_invalid`, `customer_id_invalid`; `StorageError`.
    package func sign(
        _ request: OfferSignatureRequest, by caller: Caller, scope: CustomerScope, source: EventSource
    ) async throws -> OfferSignatureAnswer {
        let name = try ExternalCustomerID(request.customerId)
        let now = ledger.configuration.clock()
        let customer = try OfferedCustomer(request, ledger.reader, at: now, scope, apps: Set(credentials.keys))
        guard let key = credentials[customer.bundleId] else { throw CustomerError.keyNotConfigured }
        let act = ActEvents.Act(
            Self.act, idempotencyKey: request.idempotencyKey.map { Array($0.utf8) } ?? UUIDBytes.random().bytes,
            environment: EnvironmentCode(name: scope.environment.rawValue) ?? .none,
            EventOrigin(source: source, keyName: caller.keyName))
        if let recorded = try await recorded(act) { return try await repeated(act, recorded, request, key) }
        try customer.check(request)
        let offer = SignedOffer(
            productId: request.productId, offerId: request.offerId,
            transactionId: try customer.transactionId(for: request), nonce: .random(), signedAt: now)
        let handle = try await ledger.findOrCreateCustomer(name, caller, source)
        let terms = RecordedOffer(
            offer: offer, bundleId: customer.bundleId, handle: handle, appAccountToken: request.appAccountToken)
        let requested = try await ledger.append(
            ActEvents.requested(
                act, terms.members, identifiers: request.appAccountToken.map { Identifiers($0) }, of: handle))
        guard requested.isAppended else {
            // The same request came twice at once.
            guard let recorded = try await recorded(act) else { throw CustomerError.idempotencyKeyReused }
            return try await repeated(act, recorded, request, key)
        }
        return try await finish(act, offer, request, key)
    }

    /// Signs the recorded terms for the same request again.
    /// - Throws: `idempotency_key_reused` when the request has other terms; `StorageError`.
    private func repeated(
        _ act: ActEvents.Act, _ recorded: RecordedOffer, _ request: OfferSignatureRequest, _ key: ServerAPICredentials
    ) async throws -> OfferSignatureAnswer {
        var lookup = try CustomerLookup(in: ledger.reader)
        // The customer may have been merged since.
        guard recorded.hasTerms(of: request, bundleId: key.bundleId),
            try lookup.customer(of: recorded.handle) == lookup.customer(of: ExternalCustomerID(request.customerId))
        else { throw CustomerError.idempotencyKeyReused }
        return try await finish(act, recorded.offer, request, key)
    }

    /// Signs an offer, and records that once, also when a crash interrupted an earlier attempt.
    private func finish(
        _ act: ActEvents.Act, _ offer: SignedOffer, _ request: OfferSignatureRequest, _ key: ServerAPICredentials
    ) async throws -> OfferSignatureAnswer {
        let answer = try await sign(offer, request, key)
        _ = try await ledger.append(ActEvents.answered(act, [.init("outcome", .string("signed"))]))
        return answer
    }

    private func sign(
        _ offer: SignedOffer, _ request: OfferSignatureRequest, _ key: ServerAPICredentials
    ) async throws -> OfferSignatureAnswer {
        let token = request.appAccountToken?.text
        return OfferSignatureAnswer(
            bundleId: key.bundleId, productId: offer.productId, offerId: offer.offerId,
            transactionId: offer.transactionId, keyId: key.keyId, nonce: offer.nonce.text, timestamp: offer.signedAt,
            appAccountToken: token,
            signature: try offer.offerId.map { try key.signature(of: offer, offerId: $0, username: token ?? "") },
            jws: try await key.jws(of: offer))
    }

    /// Returns the terms that were recorded under the act's idempotency key; nil for none.
    /// - Throws: `idempotency_key_reused` when an event of another kind has the key.
    private func recorded(_ act: ActEvents.Act) async throws -> RecordedOffer? {
        let prepared = ledger.log.prepare(ActEvents.requested(act, []))
        guard let position = try await ledger.log.firstPosition(of: prepared),
            let record = try ledger.reader.log.record(at: position)
        else { return nil }
        let identifiers = try ledger.reader.log.evidence(at: position).flatMap { Identifiers($0) }
        guard record.kind == .actRequested, let recorded = RecordedOffer(record.body, identifiers) else {
            throw CustomerError.idempotencyKeyReused
        }
        return recorded
    }
}

/// The terms of a signed offer as the log has them.
private struct RecordedOffer {
    let offer: SignedOffer
    let bundleId: String
    /// The customer as the vault names them, before merges.
    let handle: CustomerHandle
    let appAccountToken: AppAccountToken?

    var members: [JSONValue.Member] {
        [
            .init("handle", .string(handle.hex)), .init("bundleId", .string(bundleId)),
            .init("productId", .string(offer.productId)), .init("offerId", JSONValue(offer.offerId)),
            .init("transactionId", JSONValue(offer.transactionId)), .init("nonce", .string(offer.nonce.text)),
            .init("timestamp", .integer(offer.signedAt.milliseconds)),
        ]
    }

    /// Whether a request has the same terms, apart from its customer.
    func hasTerms(of request: OfferSignatureRequest, bundleId: String) -> Bool {
        offer.productId == request.productId && offer.offerId == request.offerId && self.bundleId == bundleId
            && appAccountToken == request.appAccountToken
    }
}

extension RecordedOffer {
    /// Nil for the body of another event. Earlier versions stored the token in the body.
    fileprivate init?(_ body: [UInt8], _ identifiers: Identifiers?) {
        guard let json = try? JSONDocument(parsing: body).root, let bundleId = json["bundleId"]?.string,
            let product = json["productId"]?.string,
            let handle = (json["handle"]?.string).flatMap({ CustomerHandle(hex: $0) }),
            let nonce = (json["nonce"]?.string).flatMap({ UUIDBytes($0) }), let time = json["timestamp"]?.integer
        else { return nil }
        let offer = SignedOffer(
            productId: product, offerId: json["offerId"]?.string, transactionId: json["transactionId"]?.string,
            nonce: nonce, signedAt: Instant(milliseconds: time))
        self.init(
            offer: offer, bundleId: bundleId, handle: handle,
            appAccountToken: identifiers?.token ?? (json["appAccountToken"]?.string).flatMap { AppAccountToken($0) })
    }
}

extension UUIDBytes {
    /// A random UUID, version 4 (RFC 9562 §5.4).
    fileprivate static func random() -> UUIDBytes {
        let random = UInt128.random(in: 0 ... .max)
        let version: UInt128 = 0x4 << 76
        let variant: UInt128 = 0b10 << 62
        return UUIDBytes(value: random & ~(0xF << 76) & ~(0b11 << 62) | version | variant)
    }

    fileprivate var bytes: [UInt8] { value.bigEndianBytes }
}

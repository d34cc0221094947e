import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import Testing

@Suite struct `The fact codec` {
    /// A renewal of a real app, as signed by the App Store.
    static let usual = KeyedObservation(
        key: .subscription(key),
        observation: transaction("2000001024998954", 0, 30) {
            $0.webOrderLineItemId = "2000000113755461"
            $0.productId = "com.example.app.pro.monthly"
            $0.subscriptionGroupIdentifier = "21752814"
            $0.purchaseDate = Instant(milliseconds: 1_759_302_552_000)
            $0.expiresDate = Instant(milliseconds: 1_759_302_732_000)
            $0.transactionReason = .renewal
            $0.price = .init(price: 1_990, currency: "AUD")
            $0.appTransactionId = "704897469903383919"
        })

    static func decode(
        _ bytes: [UInt8], symbols: SymbolNumbers = .process
    ) throws(FactCodecError) -> KeyedObservation {
        try FactCodec.decode(
            bytes.span.bytes, symbols: symbols, position: 7, recordedAt: Instant(milliseconds: 8))
    }

    @Test func `keeps a usual transaction below 300 bytes`() {
        let count = FactCodec.encode(Self.usual).count
        #expect((128...300).contains(count), "\(count) bytes")
    }

    @Test func `writes these bytes`() throws {
        var fact = RenewalFact()
        fact.productId = "pro"
        fact.autoRenewStatus = .off
        fact.isInBillingRetryPeriod = true
        fact.renewalDate = Instant(milliseconds: 300)
        fact.eligibleWinBackOfferIds = OfferIdentifiers.interned(["a", "bc"])
        fact.appTransactionId = "x7"
        let digest = try #require(Digest(hex: String(repeating: "0f", count: 32)))
        let source = Source(
            name: ObservationName(digest: digest, path: "p"), time: Instant(milliseconds: -1), rank: .jws, position: 7,
            recordedAt: Instant(milliseconds: 8))
        let key = SubscriptionKey(environment: .sandbox, bundleId: "app", originalTransactionId: "258")
        let keyed = KeyedObservation(
            key: .subscription(key), observation: Observation(source: source, fact: .renewal(fact)))
        // The symbols are renumbered in the order in which they stand in the row.
        var bytes = FactCodec.encode(keyed)
        var found: [Symbol] = []
        FactCodec.renumberSymbols(in: &bytes, rowAt: 0) { number in
            found.append(Symbol(index: number) ?? "unknown")
            return UInt32(found.count - 1)
        }
        #expect(found.map(\.text) == ["Sandbox", "app", "p", "x7", "pro", "a", "bc"])
        let header = "88000000" + "08020500" + "5709000000000000" + "07000000"
        let symbols = (0..<7).map { "0\($0)000000" }.joined()
        let keyAndName = "0201000000000000" + String(repeating: "0f", count: 32) + "ffffffffffffffff"
        let fields = [
            "0000000000000080", "0000000000000000", "0100000000000000", "2c01000000000000", "0200000000000000",
        ]
        #expect(Hex.encode(bytes) == header + symbols + keyAndName + fields.joined())
        #expect(try Self.decode(bytes, symbols: SymbolNumbers(found)) == keyed)
    }

    @Test func `a header has the identifiers that join facts`() throws {
        func header(_ key: SubscriptionKey, _ fact: Fact) throws -> FactHeader {
            let source = Source(
                name: ObservationName(digest: .zero, path: "p"), time: .earliest, rank: .jws, position: 0,
                recordedAt: .earliest)
            let bytes = FactCodec.encode(
                KeyedObservation(key: .subscription(key), observation: Observation(source: source, fact: fact)))
            return try FactHeader(bytes.span.bytes)
        }
        func key(_ id: String, _ bundleId: String = "app") -> SubscriptionKey {
            SubscriptionKey(environment: .sandbox, bundleId: bundleId, originalTransactionId: id)
        }
        var transaction = TransactionFact(transactionId: "t-1")
        transaction.appTransactionId = "700"
        transaction.previousOriginalTransactionId = "id-2"
        var renewal = RenewalFact()
        renewal.appTransactionId = "700"

        let first = try header(key("1"), .transaction(transaction))
        let second = try header(key("id-2"), .renewal(renewal))
        #expect(first.key != nil && first.key != second.key)
        #expect(first.account != nil && first.account == second.account && first.account != first.key)
        #expect(first.predecessor == second.key && second.predecessor == nil)
        #expect(try header(key("1"), .notification(NotificationFact())).key == first.key)
        #expect(try header(key("1", "other"), .renewal(renewal)).key != first.key)
        #expect(try header(key("1", "other"), .renewal(renewal)).account != first.account)
        // The id 700 of a key is not that of an account.
        #expect(try header(key("700"), .renewal(renewal)).key != first.account)
        #expect(try FactHeader(Self.appRow.span.bytes).key == nil)
        #expect(throws: FactCodecError.self) { try FactHeader([UInt8](repeating: 9, count: 30).span.bytes) }
    }

    @Test func `the product of a transaction is read without the rest`() throws {
        func product(_ observation: Observation) throws -> StatedProduct? {
            let row = FactCodec.encode(KeyedObservation(key: .subscription(key), observation: observation))
            return try ProductHeader(row.span.bytes)?.product(.process)
        }
        let complete = transaction("a-1", 0, 30) {
            $0.appTransactionId = "700"
            $0.previousOriginalTransactionId = "id-2"
            $0.webOrderLineItemId = nil
            $0.subscriptionGroupIdentifier = "group"
        }
        let stated = StatedProduct(
            environment: .production, bundleId: "com.example.app", id: "monthly", group: "group", type: .autoRenewable)
        #expect(try product(complete) == stated)
        let bare = transaction("1", 0, 30) { ($0.type, $0.subscriptionGroupIdentifier) = (nil, nil) }
        #expect(
            try product(bare)
                == StatedProduct(
                    environment: .production, bundleId: "com.example.app", id: "monthly", group: nil, type: nil))
        #expect(try product(transaction("1", 0, 30) { $0.productId = nil }) == nil)
        #expect(try product(renewalInfo(signed: 0, renewalDate: 30)) == nil)
        #expect(try ProductHeader(Self.appRow.span.bytes) == nil)
        #expect(throws: FactCodecError.self) { try ProductHeader([UInt8](repeating: 9, count: 30).span.bytes) }
    }

    struct Refusal: Sendable {
        let bytes: [UInt8]
        let code: FactCodecError.Code
    }

    private static let appRow = FactCodec.encode(
        KeyedObservation(
            key: .appAccount(
                AppAccountKey(environment: .sandbox, bundleId: "app", account: .appTransaction("700"))),
            observation: Observation(
                source: Source(
                    name: ObservationName(digest: .zero), time: .earliest, rank: .jws, position: 0,
                    recordedAt: .earliest),
                fact: .app(AppFact()))))

    static let refusals: [Refusal] = {
        let good = FactCodec.encode(usual)
        func changed(_ index: Int, to byte: UInt8) -> [UInt8] {
            var bytes = good
            bytes[index] = byte
            return bytes
        }
        /// One more word, counted.
        func longer() -> [UInt8] {
            var bytes = good + [0, 0, 0, 0, 0, 0, 0, 0]
            bytes[0] += 8
            return bytes
        }
        return [
            Refusal(bytes: [], code: .truncated),
            Refusal(bytes: Array(good.dropLast()), code: .truncated),
            Refusal(bytes: good + [0], code: .truncated),
            Refusal(bytes: changed(4, to: 3), code: .versionUnknown),
            Refusal(bytes: changed(5, to: 0), code: .malformed),
            Refusal(bytes: changed(5, to: 5), code: .malformed),
            Refusal(bytes: changed(6, to: 6), code: .malformed),
            Refusal(bytes: changed(7, to: 3), code: .malformed),
            // A tag that no fact has, more symbols than the row, and a symbol that nobody interned.
            Refusal(bytes: changed(15, to: 0x80), code: .malformed),
            Refusal(bytes: changed(19, to: 0xFF), code: .truncated),
            Refusal(bytes: changed(23, to: 0xFF), code: .malformed),
            Refusal(bytes: longer(), code: .malformed),
        ]
    }()

    @Test(arguments: refusals)
    func `refuses what it did not write`(refusal: Refusal) throws {
        let error = #expect(throws: FactCodecError.self) { try Self.decode(refusal.bytes) }
        #expect(error?.code == refusal.code)
    }

    @Test func `gives back every fact`() throws {
        var generator = SeededRandom()
        for _ in 0..<2_000 {
            let original = generator.anyObservation()
            #expect(try Self.decode(FactCodec.encode(original)) == original, "seed \(SeededRandom.seed)")
        }
    }

    @Test func `refuses every truncation`() throws {
        var generator = SeededRandom()
        for _ in 0..<50 {
            let bytes = FactCodec.encode(generator.anyObservation())
            for count in 0..<bytes.count { #expect((try? Self.decode(Array(bytes.prefix(count)))) == nil) }
        }
    }

    @Test func `has one form for each fact: what decodes from changed bytes encodes to them again`() throws {
        var generator = SeededRandom()
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = FactCodec.encode(generator.anyObservation())
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                default: bytes.remove(at: index)
                }
            }
            guard let decoded = try? Self.decode(bytes) else { continue }
            accepted += 1
            #expect(FactCodec.encode(decoded) == bytes, "seed \(SeededRandom.seed)")
        }
        // Most changes of one byte affect a digest or a date, which gives another well-formed fact.
        #expect(accepted > 1_000)
    }
}

extension SeededRandom {
    mutating func anyObservation() -> KeyedObservation {
        let digest = Digest(words: (next(), next(), next(), next()))
        let source = Source(
            name: ObservationName(digest: digest, path: chance(80) ? .empty : Symbol("p" + text())), time: instant(),
            rank: pick(SourceRank.allCases), position: 7, recordedAt: Instant(milliseconds: 8))
        let facts: [Fact] = [
            .transaction(transactionFact()), .renewal(renewalFact()), .notification(notificationFact()),
            .app(appFact()),
        ]
        return KeyedObservation(key: timelineKey(), observation: Observation(source: source, fact: pick(facts)))
    }

    private mutating func timelineKey() -> TimelineKey {
        let environment = pick([.production, .sandbox, Environment(rawValue: text())])
        let accounts: [AppAccountKey.Account] = [
            .appTransaction(id()), .firstDownload(at: instant(), version: symbol()),
        ]
        return chance(60)
            ? .subscription(
                SubscriptionKey(environment: environment, bundleId: text(), originalTransactionId: id().text))
            : .appAccount(AppAccountKey(environment: environment, bundleId: text(), account: pick(accounts)))
    }

    private mutating func transactionFact() -> TransactionFact {
        var fact = TransactionFact(transactionId: id())
        fact.webOrderLineItemId = maybe { $0.id() }
        fact.productId = maybe { $0.symbol() }
        fact.subscriptionGroupIdentifier = maybe { $0.symbol() }
        fact.type = maybe { .init(rawValue: $0.text()) }
        fact.inAppOwnershipType = maybe { .init(rawValue: $0.text()) }
        fact.transactionReason = maybe { .init(rawValue: $0.text()) }
        fact.purchaseDate = maybe { $0.instant() }
        fact.originalPurchaseDate = maybe { $0.instant() }
        fact.quantity = maybe { $0.number() }
        fact.storefront = maybe { $0.symbol() }
        fact.commitment = maybe { $0.transactionCommitment() }
        fact.itemRevocations = TransactionFact.ItemRevocations.interned(
            (0..<Int.random(in: 0...2, using: &self)).map { _ in .init(SKU: symbol(), revocationDate: instant()) })
        fact.expiresDate = maybe { $0.instant() }
        fact.isUpgraded = chance(50)
        fact.revocation = maybe { .init(revocationDate: $0.instant()) }
        fact.revocation?.revocationReason = maybe { .init(rawValue: $0.number()) }
        fact.revocation?.revocationType = maybe { .init(rawValue: $0.text()) }
        fact.revocation?.revocationPercentage = maybe { $0.number() }
        fact.offer = .init(
            offerType: maybe { .init(rawValue: $0.number()) }, offerIdentifier: maybe { $0.symbol() },
            offerDiscountType: maybe { .init(rawValue: $0.text()) }, offerPeriod: maybe { $0.symbol() })
        fact.price = maybe { generator in
            .init(price: generator.number(), currency: generator.maybe { $0.symbol() })
        }
        fact.appAccountToken = maybe { $0.token() }
        fact.appTransactionId = maybe { $0.id() }
        fact.previousOriginalTransactionId = maybe { $0.id() }
        return fact
    }

    private mutating func renewalFact() -> RenewalFact {
        var fact = RenewalFact()
        fact.productId = maybe { $0.symbol() }
        fact.autoRenewProductId = maybe { $0.symbol() }
        fact.autoRenewStatus = maybe { .init(rawValue: $0.number()) }
        fact.expirationIntent = maybe { .init(rawValue: $0.number()) }
        fact.isInBillingRetryPeriod = maybe { $0.chance(50) }
        fact.gracePeriodExpiresDate = maybe { $0.instant() }
        fact.renewalDate = maybe { $0.instant() }
        fact.recentSubscriptionStartDate = maybe { $0.instant() }
        fact.priceIncreaseStatus = maybe { .init(rawValue: $0.number()) }
        fact.eligibleWinBackOfferIds = OfferIdentifiers.interned(
            (0..<Int.random(in: 0...3, using: &self)).map { _ in symbol() })
        fact.appAccountToken = maybe { $0.token() }
        fact.appTransactionId = maybe { $0.id() }
        fact.renewalPrice = maybe { generator in
            .init(price: generator.number(), currency: generator.maybe { $0.symbol() })
        }
        fact.offer = .init(
            offerType: maybe { .init(rawValue: $0.number()) }, offerIdentifier: maybe { $0.symbol() },
            offerDiscountType: maybe { .init(rawValue: $0.text()) }, offerPeriod: maybe { $0.symbol() })
        fact.commitment = maybe { $0.renewalCommitment() }
        return fact
    }

    /// A commitment with at least one field; without any there is no commitment.
    private mutating func transactionCommitment() -> TransactionFact.Commitment {
        var commitment = TransactionFact.Commitment()
        commitment.billingPlanType = maybe { .init(rawValue: $0.text()) }
        commitment.billingPeriodNumber = maybe { $0.number() }
        commitment.totalBillingPeriods = maybe { $0.number() }
        commitment.commitmentExpiresDate = instant()
        commitment.commitmentPrice = maybe { $0.number() }
        return commitment
    }

    private mutating func renewalCommitment() -> RenewalFact.Commitment {
        var commitment = RenewalFact.Commitment()
        commitment.renewalBillingPlanType = maybe { .init(rawValue: $0.text()) }
        commitment.commitmentAutoRenewProductId = maybe { $0.symbol() }
        commitment.commitmentAutoRenewStatus = maybe { .init(rawValue: $0.number()) }
        commitment.commitmentRenewalBillingPlanType = maybe { .init(rawValue: $0.text()) }
        commitment.commitmentRenewalDate = instant()
        commitment.commitmentRenewalPrice = maybe { $0.number() }
        return commitment
    }

    private mutating func notificationFact() -> NotificationFact {
        var fact = NotificationFact()
        fact.notificationType = maybe { .init(rawValue: $0.text()) }
        fact.subtype = maybe { .init(rawValue: $0.text()) }
        fact.notificationUUID = maybe { NotificationUUID($0.text()) }
        fact.status = maybe { .init(rawValue: $0.number()) }
        fact.signedTransactionInfo = maybe { Digest(words: ($0.next(), 0, 1, 2)) }
        fact.signedRenewalInfo = maybe { Digest(words: ($0.next(), 0, 1, 2)) }
        fact.signedAppTransactionInfo = maybe { Digest(words: ($0.next(), 0, 1, 2)) }
        fact.consumptionRequestReason = maybe { .init(rawValue: $0.text()) }
        return fact
    }

    private mutating func appFact() -> AppFact {
        var fact = AppFact()
        fact.originalApplicationVersion = maybe { $0.symbol() }
        fact.originalPurchaseDate = maybe { $0.instant() }
        fact.originalPlatform = maybe { .init(rawValue: $0.text()) }
        fact.preorderDate = maybe { $0.instant() }
        fact.expirationDate = maybe { $0.instant() }
        return fact
    }

    private mutating func maybe<Value>(_ make: (inout SeededRandom) -> Value) -> Value? {
        chance(60) ? make(&self) : nil
    }

    private mutating func text() -> String {
        let letters = ["", "a", "0", "é", "e\u{301}", "\u{0}", "🜁", "com.example.app"]
        return (0..<Int.random(in: 0...6, using: &self)).map { _ in pick(letters) }.joined()
    }

    private mutating func symbol() -> Symbol { Symbol(text()) }

    /// Ids in every form: numbers up to the largest that is held as a number, and other texts.
    private mutating func id() -> AppleID {
        AppleID(chance(50) ? text() : "\(pick([0, 9, 10, 1 << 62, UInt64(Int64.max), 1 << 63, .max, next()]))")
    }

    private mutating func token() -> AppAccountToken {
        AppAccountToken(
            "7e3fb20b-4cdb-47cc-936d-" + Hex.encode((0..<6).map { _ in UInt8(truncatingIfNeeded: next()) }))!
    }

    private mutating func number() -> Int64 {
        pick([0, 1, -1, 5, 127, 128, .max, .min, Int64(truncatingIfNeeded: next())])
    }

    private mutating func instant() -> Instant {
        Instant(milliseconds: number())
    }
}

import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `The translation` {
    static func source(_ text: String, _ time: Int64) -> Source {
        Source(
            name: ObservationName(digest: .sha256(of: text.utf8)), time: Instant(milliseconds: time), rank: .jws,
            position: 7, recordedAt: Instant(milliseconds: 8))
    }

    static let transactionObservation: KeyedObservation = {
        var fact = TransactionFact(transactionId: "11")
        fact.webOrderLineItemId = "12"
        fact.productId = "pro"
        fact.subscriptionGroupIdentifier = "G"
        fact.type = .autoRenewable
        fact.inAppOwnershipType = .purchased
        fact.transactionReason = .renewal
        fact.purchaseDate = Instant(milliseconds: 100)
        fact.originalPurchaseDate = Instant(milliseconds: 50)
        fact.expiresDate = Instant(milliseconds: 200)
        fact.quantity = 1
        fact.storefront = "AUS"
        fact.isUpgraded = true
        fact.revocation = .init(revocationDate: Instant(milliseconds: 160))
        fact.revocation?.revocationReason = .appIssue
        fact.revocation?.revocationType = .refundProrated
        fact.revocation?.revocationPercentage = 40_000
        fact.offer = .init(
            offerType: .promotional, offerIdentifier: "O", offerDiscountType: .payAsYouGo, offerPeriod: "P1M")
        fact.price = .init(price: 1_990, currency: "AUD")
        var commitment = TransactionFact.Commitment()
        commitment.billingPlanType = .monthly
        commitment.billingPeriodNumber = 3
        commitment.totalBillingPeriods = 12
        commitment.commitmentExpiresDate = Instant(milliseconds: 800)
        commitment.commitmentPrice = 23_880
        fact.commitment = commitment
        fact.itemRevocations = TransactionFact.ItemRevocations.interned([
            .init(SKU: "sports", revocationDate: Instant(milliseconds: 155))
        ])
        fact.appAccountToken = AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138")
        fact.appTransactionId = "A"
        fact.previousOriginalTransactionId = "9"
        return KeyedObservation(
            key: subscription,
            observation: Observation(source: source(transactionText, 150), fact: .transaction(fact)))
    }()

    static let renewalObservation: KeyedObservation = {
        var fact = RenewalFact()
        fact.productId = "pro"
        fact.autoRenewProductId = "basic"
        fact.autoRenewStatus = .on
        fact.expirationIntent = .billingError
        fact.isInBillingRetryPeriod = true
        fact.gracePeriodExpiresDate = Instant(milliseconds: 300)
        fact.renewalDate = Instant(milliseconds: 200)
        fact.recentSubscriptionStartDate = Instant(milliseconds: 50)
        fact.priceIncreaseStatus = .pending
        fact.eligibleWinBackOfferIds = OfferIdentifiers.interned(["w1", "w2"])
        fact.appAccountToken = AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138")
        fact.appTransactionId = "A"
        fact.renewalPrice = TransactionFact.Price(price: 1990, currency: "AUD")
        fact.offer = TransactionFact.Offer(
            offerType: .promotional, offerIdentifier: "N", offerDiscountType: .payUpFront, offerPeriod: "P3M")
        var commitment = RenewalFact.Commitment()
        commitment.renewalBillingPlanType = .monthly
        commitment.commitmentAutoRenewProductId = "pro"
        commitment.commitmentAutoRenewStatus = .off
        commitment.commitmentRenewalBillingPlanType = .billedUpfront
        commitment.commitmentRenewalDate = Instant(milliseconds: 900)
        commitment.commitmentRenewalPrice = 9990
        fact.commitment = commitment
        return KeyedObservation(
            key: subscription, observation: Observation(source: source(renewalText, 151), fact: .renewal(fact)))
    }()

    @Test func `of a transaction gives its observation under its original transaction`() throws {
        #expect(try translation.transaction(transaction(transactionText)) == [Self.transactionObservation])
    }

    @Test func `of renewal info gives its observation under the bundle it is told`() throws {
        let observations = try translation.renewalInfo(renewalInfo(renewalText), bundleId: "com.example")
        #expect(observations == [Self.renewalObservation])
        let elsewhere = try translation.renewalInfo(renewalInfo(renewalText), bundleId: "com.other")
        #expect(elsewhere.map(\.observation) == observations.map(\.observation))
        #expect(elsewhere.map(\.key) != observations.map(\.key))
    }

    @Test func `of a notification gives its own observation and those of what it carries`() throws {
        var fact = NotificationFact()
        fact.notificationType = .didFailToRenew
        fact.subtype = .gracePeriod
        fact.notificationUUID = "U"
        fact.status = .gracePeriod
        fact.signedTransactionInfo = Digest.sha256(of: transactionText.utf8)
        fact.signedRenewalInfo = Digest.sha256(of: renewalText.utf8)
        let own = KeyedObservation(
            key: subscription,
            observation: Observation(source: Self.source(notificationText, 152), fact: .notification(fact)))
        let observations = try translation.notification(
            notification(notificationText), transaction: transaction(transactionText),
            renewalInfo: renewalInfo(renewalText))
        #expect(observations == [own, Self.transactionObservation, Self.renewalObservation])
    }

    @Test func `gives one observation for a payload posted alone and nested`() throws {
        let nested = try translation.notification(
            notification(notificationText), transaction: transaction(transactionText),
            renewalInfo: renewalInfo(renewalText))
        let alone =
            try translation.transaction(transaction(transactionText))
            + translation.renewalInfo(renewalInfo(renewalText), bundleId: "com.example")
        #expect(Timeline((nested + alone).map(\.observation)) == Timeline(nested.map(\.observation)))
    }

    @Test func `files a notification that carries renewal info alone under its bundle`() throws {
        let observations = try translation.notification(
            notification(notificationText), renewalInfo: renewalInfo(renewalText))
        #expect(observations.map(\.key) == [subscription, subscription])
    }

    @Test func `of an app transaction gives an observation under its app account`() throws {
        var fact = AppFact()
        fact.originalApplicationVersion = "1.0"
        fact.originalPurchaseDate = Instant(milliseconds: 5)
        fact.originalPlatform = .iOS
        fact.preorderDate = Instant(milliseconds: 4)
        let key = AppAccountKey(environment: .sandbox, bundleId: "com.example", account: .appTransaction("A"))
        let expected = KeyedObservation(
            key: .appAccount(key), observation: Observation(source: Self.source(appText, 99), fact: .app(fact)))
        #expect(try translation.appTransaction(appTransaction(appText)) == [expected])
    }

    @Test(arguments: [("Production", true), ("Sandbox", false)])
    func `files an app transaction without an account under its first download, but in the sandbox`(
        environment: String, isFiled: Bool
    ) throws {
        let text = """
            {"receiptType":"\(environment)","bundleId":"com.example","receiptCreationDate":99,\
            "originalPurchaseDate":12345,"originalApplicationVersion":"1.9"}
            """
        let first = Instant(milliseconds: 12_000)
        let key = AppAccountKey(
            environment: .production, bundleId: "com.example", account: .firstDownload(at: first, version: "1.9"))
        #expect(
            try translation.appTransaction(appTransaction(text)).map(\.key) == (isFiled ? [.appAccount(key)] : []))
    }

    @Test func `of a withdrawn consent files the notification with the app account`() throws {
        let text = """
            {"notificationType":"RESCIND_CONSENT","notificationUUID":"U","signedDate":152,\
            "appData":{"bundleId":"com.example","environment":"Sandbox"}}
            """
        let observations = try translation.notification(
            notification(text), appTransaction: appTransaction(appText))
        let key = AppAccountKey(environment: .sandbox, bundleId: "com.example", account: .appTransaction("A"))
        #expect(observations.map(\.key) == [.appAccount(key), .appAccount(key)])
        guard case .notification(let fact) = observations[0].observation.fact else {
            Issue.record("not the notification first")
            return
        }
        #expect(fact.signedAppTransactionInfo == Digest.sha256(of: appText.utf8))
    }

    @Test func `of a notification that names no key gives nothing`() throws {
        #expect(try translation.notification(notification(notificationText)).isEmpty)
    }

    @Test func `keeps types and values that are unknown`() throws {
        let text = """
            {"transactionId":"11","originalTransactionId":"10","bundleId":"com.example","environment":"Sandbox",\
            "signedDate":150,"type":"Rental","inAppOwnershipType":"LENT","revocationDate":1,"revocationReason":9,\
            "revocationType":"SEAT","offerType":77,"transactionReason":"GIFT"}
            """
        let observations = try translation.transaction(transaction(text))
        guard case .transaction(let fact)? = observations.first?.observation.fact else {
            Issue.record("no transaction")
            return
        }
        #expect(fact.type?.rawValue == "Rental")
        #expect(fact.inAppOwnershipType?.rawValue == "LENT")
        #expect(fact.revocation?.revocationReason?.rawValue == 9)
        #expect(fact.revocation?.revocationType?.rawValue == "SEAT")
        #expect(fact.offer?.offerType?.rawValue == 77)
        #expect(fact.transactionReason?.rawValue == "GIFT")
    }

    @Test func `takes empty strings, and 0 as a line item, for absent`() throws {
        let text = """
            {"transactionId":"11","originalTransactionId":"10","bundleId":"com.example","environment":"Sandbox",\
            "signedDate":150,"webOrderLineItemId":"0","productId":"","offerIdentifier":"","type":"",\
            "previousOriginalTransactionId":""}
            """
        let observations = try translation.transaction(transaction(text))
        #expect(observations.map(\.observation.fact) == [.transaction(TransactionFact(transactionId: "11"))])
    }

    static let unnamed = [
        #"{"transactionId":"11","bundleId":"com.example","environment":"Sandbox","signedDate":150}"#,
        #"{"transactionId":"11","originalTransactionId":"","bundleId":"com.example","environment":"Sandbox","signedDate":150}"#,
        #"{"originalTransactionId":"10","bundleId":"com.example","environment":"Sandbox","signedDate":150}"#,
        #"{"transactionId":"11","originalTransactionId":"10","environment":"Sandbox","signedDate":150}"#,
        #"{"transactionId":"11","originalTransactionId":"10","bundleId":"com.example","signedDate":150}"#,
        #"{"transactionId":"11","originalTransactionId":"10","bundleId":"com.example","environment":"Sandbox"}"#,
    ]

    @Test(arguments: unnamed)
    func `of what lacks key, identity or time gives nothing`(text: String) throws {
        #expect(try translation.transaction(transaction(text)).isEmpty)
    }
}

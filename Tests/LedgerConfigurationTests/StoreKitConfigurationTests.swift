import FoundationEssentials
import LedgerConfiguration
import LedgerModel
import LedgerTesting
import Primitives
import Testing

@Suite struct `A StoreKit configuration` {
    @Test func `of each real app becomes a catalogue with the products and offers that its entry counts`() throws {
        guard let folder = TestEnvironment.fixtures else {
            print("fixtures: absent")
            return
        }
        let manifest = try JSONDocument(parsing: Self.bytes("\(folder)/MANIFEST.json")).root
        let entries = try #require(manifest["entries"]?.elements)
            .filter { $0["kind"]?.string == "storekit-configuration" }
        #expect(!entries.isEmpty)
        for entry in entries {
            let (file, counts) = (try #require(entry["file"]?.string), try #require(entry["measured"]))
            let catalog = try Catalog(
                storeKit: Self.bytes("\(folder)/\(file)"), bundleId: "com.example.app", file: file)
            let subscriptions = catalog.products.filter { $0.kind == .autoRenewable }
            let offers = subscriptions.flatMap(\.offers)
            let found: [(StaticString, Int)] = [
                ("groups", catalog.groups.count), ("subscriptions", subscriptions.count),
                ("products", catalog.products.count { $0.kind == .consumable || $0.kind == .nonConsumable }),
                ("with_intro_offer", offers.count { $0.kind == .introductory }),
                ("adhoc_offers", offers.count { $0.kind == .promotional }),
                ("code_offers", offers.count { $0.kind == .offerCode }),
            ]
            for (name, count) in found {
                #expect(counts[name]?.integer.map { Int($0) } == count, "\(file): \(name)")
            }
            let periods = Set(subscriptions.compactMap { $0.duration?.description })
            #expect(periods == Set(counts["periods"]?.elements?.compactMap(\.string) ?? []), "\(file)")
            // The written file is complete.
            #expect(try Catalog(yaml: catalog.yaml, file: file) == catalog, "\(catalog.yaml)")
        }
    }

    private static let example = """
        {"products":[{"productID":"coins","type":"Consumable","familyShareable":false}],
         "nonRenewingSubscriptions":[{"productID":"season","type":"NonRenewingSubscription"}],
         "subscriptionGroups":[{"id":"2F1A","name":"Pro \\"plus\\"","subscriptions":[
          {"productID":"pro","type":"RecurringSubscription","recurringSubscriptionPeriod":"P1M","groupNumber":2,
           "familyShareable":true,
           "introductoryOffer":{"paymentMode":"payUpFront","subscriptionPeriod":"P2M","displayPrice":"2.9"},
           "codeOffers":[{"referenceName":"spring","paymentMode":"free","subscriptionPeriod":"P3D"}],
           "winbackOffers":[{"offerID":"back","paymentMode":"payAsYouGo","subscriptionPeriod":"P1M",
                             "numberOfPeriods":3,"displayPrice":"1"}]}]}]}
        """

    @Test func `gives durations, levels and prices in milliunits`() throws {
        let catalog = try Catalog(storeKit: Array(Self.example.utf8), bundleId: "com.example.app", file: "f")
        #expect(catalog.products.map(\.id) == ["coins", "season", "pro"])
        #expect(catalog.products.map(\.kind) == [.consumable, .nonRenewing, .autoRenewable])
        #expect(catalog.product("season")?.duration == nil)
        let pro = try #require(catalog.product("pro"))
        #expect((pro.group, pro.level) == ("2F1A", 2))
        #expect(pro.isFamilyShareable)
        #expect(pro.offers.map(\.kind) == [.introductory, .offerCode, .winBack])
        #expect(pro.offers.map(\.id) == [nil, "spring", "back"])
        #expect(pro.offers.map(\.periods) == [1, 1, 3])
        #expect(pro.offers.map(\.priceMilliunits) == [2_900, nil, 1_000])
        #expect(pro.introductoryOffer?.period == CalendarPeriod(2, .month))
        #expect(try Catalog(yaml: catalog.yaml, file: "f") == catalog)
    }

    @Test(arguments: [
        ("[1", "the file is not JSON"), (#"{"products":{}}"#, "products"), (#"{"products":[{}]}"#, "type"),
        (#"{"products":[{"type":"Gift","productID":"a"}]}"#, "one of Consumable, NonConsumable"),
        (#"{"products":[{"type":"Consumable"}]}"#, "productID"),
        (#"{"subscriptionGroups":[{"subscriptions":[]}]}"#, "id"),
        (#"{"subscriptionGroups":[{"id":"g","subscriptions":[{"productID":"a"}]}]}"#, "recurringSubscriptionPeriod"),
    ])
    func `is refused with the member that is wrong`(_ text: String, _ words: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            _ = try Catalog(storeKit: Array(text.utf8), bundleId: "b", file: "f")
        }
        let found = [error.message, error.expected, error.found].compactMap(\.self).joined(separator: " | ")
        #expect(found.contains(words), "\(found)")
        #expect(error.diagnosis.code == "catalog_invalid")
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }
}

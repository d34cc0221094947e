import AppStoreModel
import FoundationEssentials
import LedgerTesting
import Primitives
import Testing

struct `Answers of verifyReceipt` {
    private func answer(_ json: String) throws -> VerifyReceiptAnswer {
        try #require(VerifyReceiptAnswer(JSONDocument(parsing: Array(json.utf8)).root))
    }

    private func row(_ json: String) throws -> InAppPurchase? {
        InAppPurchase(try JSONDocument(parsing: Array(json.utf8)).root)
    }

    @Test(arguments: [
        ("the milliseconds", #""purchase_date_ms":"1000","purchase_date":"2020-01-01 00:00:00 Etc/GMT""#, 1_000),
        ("milliseconds without a name of their own", #""purchase_date":"1350157808000""#, 1_350_157_808_000),
        ("a formatted date", #""purchase_date":"2012-10-13 19:40:08 Etc/GMT""#, 1_350_157_208_000),
        ("RFC 3339", #""purchase_date_ms":"","purchase_date":"2012-10-13T19:40:08Z""#, 1_350_157_208_000),
    ])
    func `a date is read from`(_ title: String, _ members: String, _ expected: Int64) throws {
        let purchase = try row(#"{"transaction_id":"1","product_id":"pro",\#(members)}"#)
        #expect(purchase?.purchaseDate == Instant(milliseconds: expected), "\(title)")
    }

    @Test func `an id may be a number, and an absent value an empty text`() throws {
        let purchase = try #require(
            try row(
                #"{"transaction_id":12,"product_id":"pro","purchase_date_ms":"1","web_order_line_item_id":"","expires_date":"","cancellation_date":"","is_trial_period":"true","promotional_offer_id":"","is_upgraded":"true","quantity":"2"}"#
            ))
        #expect(purchase.transactionId == "12" && purchase.originalTransactionId == "12" && purchase.quantity == 2)
        #expect(purchase.webOrderLineItemId == nil && purchase.expiresDate == nil && purchase.cancellationDate == nil)
        #expect(purchase.offer?.offerType == .introductory && purchase.isUpgraded && purchase.type == nil)
    }

    @Test func `rows that cannot be read are counted, and so are dates that contradict each other`() throws {
        let answer = try answer(
            #"""
            {"status":0,"latest_receipt_info":[{"transaction_id":"1","product_id":"a","purchase_date_ms":"1000",
            "expires_date_ms":"90000000","expires_date":"1970-01-03 00:00:00 Etc/GMT"},{"product_id":"a"},"text"],
            "pending_renewal_info":[{"auto_renew_status":"1"}]}
            """#)
        #expect(answer.latest.map(\.path) == ["latest_receipt_info/0"])
        #expect(answer.unreadable == 3 && answer.contradictions == 1)
    }

    @Test func `of two elements about one product the one without an intent counts, then the last`() throws {
        let answer = try answer(
            #"""
            {"status":0,"pending_renewal_info":[
            {"original_transaction_id":"1","product_id":"a","auto_renew_status":"0","expiration_intent":"1"},
            {"original_transaction_id":"1","product_id":"a","auto_renew_status":"1"},
            {"original_transaction_id":"1","product_id":"b","auto_renew_status":"1","expiration_intent":"2"},
            {"original_transaction_id":"1","product_id":"b","auto_renew_status":"0","expiration_intent":"2"},
            {"original_transaction_id":"2","product_id":"a","auto_renew_status":"1"}]}
            """#)
        let found = answer.renewals.map {
            "\($0.path) \($0.renewal.autoRenewStatus?.rawValue ?? -1) \($0.isOneOfSeveral)"
        }
        #expect(
            found == [
                "pending_renewal_info/1 1 true", "pending_renewal_info/3 0 true", "pending_renewal_info/4 1 false",
            ])
    }

    @Test func `an answer in the style of iOS 6 has one purchase, and its renewal beside it`() throws {
        let answer = try answer(
            #"""
            {"status":21006,"auto_renew_status":0,"expiration_intent":"1","auto_renew_product_id":"b",
            "receipt":{"bid":"com.example","transaction_id":"2","original_transaction_id":"1","product_id":"a",
            "purchase_date_ms":"1000","expires_date":"2000"},
            "latest_expired_receipt_info":{"transaction_id":"3","original_transaction_id":"1","product_id":"a",
            "purchase_date_ms":"2000","expires_date":"3000"}}
            """#)
        #expect(answer.bundleId == "com.example" && answer.environment == nil)
        #expect(answer.latest.map(\.path) == ["latest_expired_receipt_info"] && answer.inApp.map(\.path) == ["receipt"])
        #expect(answer.latest[0].purchase.expiresDate == Instant(milliseconds: 3_000))
        let renewal = try #require(answer.renewals.first?.renewal)
        #expect(renewal.originalTransactionId == "1" && renewal.productId == "a" && renewal.autoRenewProductId == "b")
        #expect(renewal.autoRenewStatus == .off && renewal.expirationIntent == .cancelled)
    }

    @Test(arguments: [
        #""cancellation_date":true"#, #""cancellation_date_ms":"soon""#, #""expires_date":"garbage""#,
        #""expires_date_ms":{}"#, #""cancellation_date_ms":"9223372036854775807""#,
    ])
    func `a row with a date that cannot be read is left out and counted`(_ member: String) throws {
        let row = #"{"transaction_id":"1","product_id":"a","purchase_date_ms":"1000",\#(member)}"#
        let found = try answer(#"{"status":0,"latest_receipt_info":[\#(row)]}"#)
        #expect(found.latest.isEmpty && found.unreadable == 1)
    }

    @Test(arguments: [
        ("latest_receipt_info", #""x""#), ("latest_receipt_info", "5"), ("pending_renewal_info", "{}"),
        ("receipt", "[]"), ("latest_expired_receipt_info", "true"),
    ])
    func `names a member of another shape`(_ name: String, _ value: String) throws {
        #expect(try answer(#"{"status":0,"\#(name)":\#(value)}"#).malformedMember == name)
        #expect(try answer(#"{"status":0,"\#(name)":null}"#).malformedMember == nil)
    }

    @Test(arguments: [#"{"status":"0"}"#, #"{"notification_type":"CANCEL","status":0}"#, "[]", #"{"receipt":{}}"#])
    func `other JSON is no answer`(_ json: String) throws {
        #expect(VerifyReceiptAnswer(try JSONDocument(parsing: Array(json.utf8)).root) == nil)
    }

    /// The rows that an answer has beyond its statements: rows of one transaction are one statement, and one without a
    /// transactionId is none.
    private static let fewer = [
        "verify-receipt/monza-response.json": (latest: 1, inApp: 0, unreadable: 0),
        "verify-receipt/django-ios-storekit-response.json": (latest: 0, inApp: 1, unreadable: 0),
        "verify-receipt/apple-wwdc20-flatJsonExample.json": (latest: 0, inApp: 1, unreadable: 1),
    ]

    @Test(.enabled(if: TestEnvironment.fixtures != nil, "the folder of fixtures is absent"))
    func `every recorded answer has the counts that its entry names`() throws {
        let folder = try #require(TestEnvironment.fixtures)
        func json(_ file: String) throws -> JSONView {
            try JSONDocument(parsing: Array(#require(FileManager.default.contents(atPath: "\(folder)/\(file)")))).root
        }
        var checked = 0
        for entry in try #require(json("MANIFEST.json")["entries"]?.elements) {
            guard let kind = entry["kind"]?.string, kind.hasPrefix("verifyReceipt-"), let file = entry["file"]?.string,
                let measured = entry["measured"], measured["status"] != nil
            else { continue }
            let answer = try #require(VerifyReceiptAnswer(json(file)), "\(file)")
            #expect(answer.status == measured["status"]?.integer, "\(file)")
            #expect(answer.environment?.rawValue == measured["environment"]?.string, "\(file)")
            let fewer = Self.fewer[file] ?? (latest: 0, inApp: 0, unreadable: 0)
            if let rows = measured["in_app"]?.integer {
                #expect(Int64(answer.inApp.count + fewer.inApp) == rows, "\(file)")
            }
            #expect(
                Int64(answer.latest.count + fewer.latest) == measured["latest_receipt_info"]?.integer, "\(file)")
            #expect(answer.unreadable == fewer.unreadable, "\(file)")
            #expect(Int64(answer.renewals.count) == measured["pending_renewal_info"]?.integer, "\(file)")
            checked += 1
        }
        #expect(checked == 23)
    }
}

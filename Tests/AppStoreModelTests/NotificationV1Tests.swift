import AppStoreModel
import Primitives
import Testing

struct `Notifications of version 1` {
    private func notification(_ members: String) throws -> NotificationV1 {
        try #require(
            NotificationV1(
                JSONDocument(parsing: Array(#"{"notification_type":"DID_RENEW",\#(members)}"#.utf8)).root))
    }

    private func row(_ id: String, original: String = "1", at start: Int, until end: Int, _ more: String = "") -> String
    {
        #"{"transaction_id":"\#(id)","original_transaction_id":"\#(original)","product_id":"a","#
            + #""purchase_date_ms":"\#(start)","expires_date_ms":"\#(end)"\#(more)}"#
    }

    @Test(
        arguments: [
            (#""environment":"PROD""#, Environment.production), (#""environment":"Sandbox""#, .sandbox),
            (#""environment":"Xcode""#, nil), (#""environment":"Production""#, .production), (#""bid":"x""#, nil),
        ] as [(String, Environment?)])
    func `name their environment`(_ member: String, _ expected: Environment?) throws {
        #expect(try notification(member).environment == expected)
    }

    @Test func `state purchases as a list or as one, each transaction once`() throws {
        let found = try notification(
            #""unified_receipt":{"latest_receipt_info":[\#(row("2", at: 20, until: 30)),\#(row("1", at: 10, until: 20))]},"#
                + #""latest_receipt_info":\#(row("2", at: 20, until: 40)),"#
                + #""latest_expired_receipt_info":\#(row("3", at: 30, until: 31))"#)
        #expect(found.rows.map(\.purchase.transactionId) == ["2", "1", "3"])
        #expect(found.rows.map(\.purchase.expiresDate?.milliseconds) == [40, 20, 31])
        #expect(found.originalTransactionId == "1" && found.unreadable == 0)
    }

    @Test func `name the subscription and the app, else their rows do`() throws {
        let rows = #""latest_receipt_info":{"bid":"com.row",\#(row("2", original: "7", at: 1, until: 2).dropFirst())"#
        let told = try notification(#""bid":"com.top","original_transaction_id":5,\#(rows)"#)
        #expect(told.bundleId == "com.top" && told.originalTransactionId == "5")
        let silent = try notification(rows)
        #expect(silent.bundleId == "com.row" && silent.originalTransactionId == "7")
    }

    @Test func `take the product of their renewal from the subscription that they name`() throws {
        let rows =
            #""latest_receipt_info":[\#(row("2", original: "2", at: 20, until: 30).replacing(#""product_id":"a""#, with: #""product_id":"b""#)),"#
            + #"\#(row("1", at: 1, until: 9))]"#
        let found = try notification(#""original_transaction_id":"1","auto_renew_status":"false",\#(rows)"#)
        #expect(found.renewals.map(\.renewal.originalTransactionId) == ["1"])
        #expect(found.renewals.map(\.renewal.productId) == ["a"])
        #expect(found.newestRow?.transactionId == "1")
    }

    @Test(arguments: [Int64.min, .max, 253_402_300_800_000, 0])
    func `survive every number as a date`(_ milliseconds: Int64) throws {
        let found = try notification(
            #""pending_renewal_info":[{"original_transaction_id":"1","grace_period_expires_date_ms":"\#(milliseconds)","#
                + #""grace_period_expires_date":"2020-01-01 00:00:00 Etc/GMT"}]"#)
        #expect(
            found.renewals.map(\.renewal.gracePeriodExpiresDate) == [milliseconds == 0 ? Instant(milliseconds: 0) : nil]
        )
        #expect(found.contradictions == (milliseconds == 0 ? 1 : 0))
    }

    @Test func `with many elements are read in linear time`() throws {
        let elements = (0..<50_000).map { #"{"original_transaction_id":"\#($0)","product_id":"a"}"# }
        let found = try notification(#""pending_renewal_info":[\#(elements.joined(separator: ","))]"#)
        #expect(found.renewals.count == 50_000 && found.renewals.allSatisfy { !$0.isOneOfSeveral })
    }

    @Test func `cancel the row of their line item`() throws {
        let found = try notification(
            #""web_order_line_item_id":"w2","cancellation_date_ms":"25","cancellation_reason":"1","#
                + #""unified_receipt":{"latest_receipt_info":[\#(row("1", at: 1, until: 9, #","web_order_line_item_id":"w1""#)),"#
                + #"\#(row("2", at: 10, until: 30, #","web_order_line_item_id":"w2""#))]}"#)
        #expect(found.rows.map(\.purchase.cancellationDate?.milliseconds) == [nil, 25])
        #expect(found.rows[1].purchase.cancellationReason == RevocationReason(rawValue: 1))
    }

    @Test func `state their own renewal only for a subscription without an element`() throws {
        let own = #""auto_renew_status":"false","auto_renew_product_id":"b","expiration_intent":1"#
        let rows = #""latest_receipt_info":[\#(row("2", at: 20, until: 30))]"#
        let found = try notification("\(own),\(rows)").renewals
        #expect(found.map(\.renewal.autoRenewStatus) == [.off] && found.map(\.renewal.autoRenewProductId) == ["b"])
        let element = #"{"original_transaction_id":"1","product_id":"a","auto_renew_status":"1"}"#
        let both = try notification("\(own),\(rows),\"unified_receipt\":{\"pending_renewal_info\":[\(element)]}")
            .renewals
        #expect(both.map(\.renewal.autoRenewStatus) == [.on])
    }

    @Test(arguments: [
        ("DID_RENEW", 40), ("DID_FAIL_TO_RENEW", 90),
    ])
    func `are as old as their newest past date`(_ type: String, _ expected: Int64) throws {
        let json =
            #"{"notification_type":"\#(type)","auto_renew_status_change_date_ms":"40","#
            + #""latest_receipt_info":[\#(row("2", at: 30, until: 90)),\#(row("1", at: 1, until: 30, #","cancellation_date_ms":"35""#))]}"#
        let found = try #require(NotificationV1(JSONDocument(parsing: Array(json.utf8)).root))
        #expect(found.newestDate?.milliseconds == expected)
    }

    @Test func `count what cannot be read, and name a list that is none`() throws {
        // Some archives contain the list as a text.
        let found = try notification(#""unified_receipt":{"latest_receipt_info":"[]"},"latest_receipt_info":[{}]"#)
        #expect(found.rows.isEmpty && found.unreadable == 1 && found.newestDate == nil)
        #expect(found.malformedMember == "unified_receipt/latest_receipt_info")
    }
}

import EventLog
import LedgerTesting
import Primitives

/// A JWS in parts, with the JWS nested in its payload, as packing requires it.
struct SampleJWS {
    /// The text of the first segment.
    var header: [UInt8]
    var payload: [UInt8]
    var signature: [UInt8]
    var nested: [Nested] = []

    struct Nested {
        var range: Range<Int>
        var jws: SampleJWS
    }

    var text: [UInt8] {
        header + [UInt8(ascii: ".")] + Base64URL.encode(payload).utf8 + [UInt8(ascii: ".")]
            + Base64URL.encode(signature).utf8
    }

    var layout: Evidence.JWSLayout {
        Evidence.JWSLayout(
            headerEnd: header.count, payloadEnd: header.count + 1 + Base64URL.encode(payload).utf8.count,
            payload: payload, signature: signature,
            nested: nested.map { Evidence.Nested(range: $0.range, layout: $0.jws.layout) })
    }

    var evidence: Evidence { Evidence(bytes: text, layout: .jws(layout)) }

    /// The payload alone, as an unsigned text with JWS in it.
    var unsigned: Evidence { Evidence(bytes: payload, layout: .json(layout.nested)) }

    /// Appends the text of another JWS to the payload.
    mutating func nest(_ jws: SampleJWS) {
        let start = payload.count
        payload += jws.text
        nested.append(Nested(range: start..<payload.count, jws: jws))
    }
}

extension SampleJWS {
    /// The App Store's notification of a renewal: all its fields, headers as long as three certificates, and
    /// incompressible signatures.
    static func notification(_ generator: inout SeededRandom) -> SampleJWS {
        let header = (0..<4_000).map { UInt8(ascii: "a") + UInt8($0 * $0 % 26) }
        func digits(_ count: Int) -> String {
            (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
        }
        func signed(_ payload: String) -> SampleJWS {
            SampleJWS(header: header, payload: Array(payload.utf8), signature: generator.bytes(64))
        }
        let (transaction, original, line) = ("2000000" + digits(9), "2000000" + digits(9), "2000000" + digits(9))
        let (bought, expires, began, now) =
            ("17" + digits(11), "17" + digits(11), "17" + digits(11), "17" + digits(11))
        let account = "70" + digits(16)
        let transactionInfo = signed(
            #"{"transactionId":"\#(transaction)","originalTransactionId":"\#(original)","#
                + #""webOrderLineItemId":"\#(line)","bundleId":"com.example.app","productId":"com.example.app.monthly","#
                + #""subscriptionGroupIdentifier":"21\#(digits(6))","purchaseDate":\#(bought),"#
                + #""originalPurchaseDate":\#(began),"expiresDate":\#(expires),"quantity":1,"#
                + #""type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","signedDate":\#(now),"#
                + #""environment":"Production","transactionReason":"RENEWAL","storefront":"USA","#
                + #""storefrontId":"143441","price":9990,"currency":"USD","appTransactionId":"\#(account)"}"#)
        let renewalInfo = signed(
            #"{"originalTransactionId":"\#(original)","autoRenewProductId":"com.example.app.monthly","#
                + #""productId":"com.example.app.monthly","autoRenewStatus":1,"renewalPrice":9990,"currency":"USD","#
                + #""signedDate":\#(now),"environment":"Production","recentSubscriptionStartDate":\#(began),"#
                + #""renewalDate":\#(expires),"appTransactionId":"\#(account)"}"#)
        let uuid = Hex.encode(generator.bytes(16))
        var notification = signed(
            #"{"notificationType":"DID_RENEW","notificationUUID":"\#(uuid.prefix(8))-\#(uuid.dropFirst(8).prefix(4))-"#
                + #"\#(uuid.dropFirst(12).prefix(4))-\#(uuid.dropFirst(16).prefix(4))-\#(uuid.suffix(12))","#
                + #""data":{"appAppleId":1234567890,"bundleId":"com.example.app","bundleVersion":"1","#
                + #""environment":"Production","signedTransactionInfo":""#)
        notification.nest(transactionInfo)
        notification.payload += #"","signedRenewalInfo":""#.utf8
        notification.nest(renewalInfo)
        notification.payload += #"","status":1},"version":"2.0","signedDate":\#(now)}"#.utf8
        return notification
    }

    /// A random text with two dots, with JWS nested up to two levels deep.
    static func random(_ generator: inout SeededRandom, depth: Int = 0) -> SampleJWS {
        var jws = SampleJWS(
            header: generator.header(), payload: [],
            signature: generator.bytes(generator.chance(85) ? 64 : generator.pick([0, 1, 63, 65, 132])))
        for _ in 0..<(depth == 2 ? 0 : Int.random(in: 0...3, using: &generator)) {
            jws.payload += generator.payload()
            // A nested text that the layout does not list, such as a string with escapes, is packed as part of the
            // payload.
            let inner = random(&generator, depth: depth + 1)
            if depth == 0, generator.chance(75) { jws.nest(inner) } else { jws.payload += inner.text }
        }
        jws.payload += generator.payload()
        return jws
    }
}

extension SeededRandom {
    fileprivate mutating func header() -> [UInt8] {
        switch Int.random(in: 0..<10, using: &self) {
        case 0: []
        case 1: bytes(Int.random(in: 0...300, using: &self))
        case 2: Array(repeating: UInt8(ascii: "A"), count: Int.random(in: 4_000...9_000, using: &self))
        case 3: Array("...".utf8)
        default: Array("eyJhbGciOiJFUzI1NiIsIng1YyI6W10sImtpZCI6IjE2In0\(Int.random(in: 0..<50, using: &self))".utf8)
        }
    }

    fileprivate mutating func payload() -> [UInt8] {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: []
        case 1: bytes(Int.random(in: 0...700, using: &self))
        case 2: Array(repeating: 0, count: Int.random(in: 0...40_000, using: &self))
        case 3:
            Array(#"{"a":"\u0065yJ.\/\"","signedTransactionInfo":"\#(UInt64.random(in: 0...9, using: &self))"}"#.utf8)
        default: Array(#"{"notificationType":"DID_RENEW","data":{"bundleId":"com.example.app","#.utf8)
        }
    }
}

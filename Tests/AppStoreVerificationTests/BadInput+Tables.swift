import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives

/// A row for every input that verification must refuse, grouped by the check that refuses it.
extension BadInput {
    static let form: [BadInput] = [
        BadInput("nothing", "jws_malformed") { [] },
        BadInput("white space", "jws_malformed") { Array(" \r\n\t ".utf8) },
        BadInput("no dots", "jws_malformed") { Array("eyJhbGciOiJFUzI1NiJ9".utf8) },
        BadInput("dots alone", "payload_not_json") { Array("..".utf8) },
        .text("truncated before the signature", "jws_malformed") { String($0.prefix($0.count - 87)) },
        .text("truncated in the payload", "jws_malformed") { String($0.prefix($0.count - 200)) },
        .text("truncated by a letter", "jws_malformed") { String($0.dropLast()) },
        .text("truncated by a byte of the signature", "signature_invalid") { String($0.dropLast(2)) },
        .text("four segments", "jws_malformed") { $0 + ".AAAA" },
        .text("an empty fourth segment", "jws_malformed") { $0 + "." },
        .text("a segment in front", "jws_malformed") { "AAAA." + $0 },
        .text("padding", "jws_malformed") { $0 + "==" },
        .text("the standard alphabet", "jws_malformed") { $0.dropLast() + "+" },
        .text("a letter that is none", "jws_malformed") { $0.dropLast() + "é" },
        .text("a line break inside", "jws_malformed") { $0.prefix(100) + "\n" + $0.dropFirst(100) },
        BadInput("spare bits of the signature", "jws_malformed") {
            Sample.signer.sign(Sample.transaction()).withSpareBits
        },
        BadInput("spare bits of the payload", "jws_malformed") { Array("e30.e31.AAAA".utf8) },
        BadInput("spare bits of the header", "jws_malformed") { Array("e31.eyJidW5kbGVJZCI6MX0.AAAA".utf8) },
        BadInput("no header", "jws_malformed") { Array(".eyJidW5kbGVJZCI6MX0.AAAA".utf8) },
        BadInput("a header that is no JSON", "jws_malformed") { Array("AAAA.eyJidW5kbGVJZCI6MX0.AAAA".utf8) },
        BadInput("a header that is no object", "jws_malformed") { Array("W10.eyJidW5kbGVJZCI6MX0.AAAA".utf8) },
        .header("a duplicate key in the header", "jws_malformed") {
            $0.extraFields = [.init("alg", .string("ES256"))]
        },
        .signed("an empty payload", "payload_not_json", bytes: []),
        .signed(
            "a truncated payload", "payload_not_json", bytes: Array(Sample.transaction().serialized().utf8).dropLast()),
        .signed(
            "text behind the payload", "payload_not_json", bytes: Array(Sample.transaction().serialized().utf8) + [0]),
        .signed("an array as payload", "payload_not_json", bytes: Array("[]".utf8)),
        .signed("a string as payload", "payload_not_json", bytes: Array("\"bundleId\"".utf8)),
        .signed("a duplicate key", "payload_duplicate_key", bytes: Array(#"{"bundleId":"a","bundleId":"b"}"#.utf8)),
        .signed(
            "a duplicate key in disguise", "payload_duplicate_key",
            bytes: Array(#"{"bundleId":"a","bundle\u0049d":"b"}"#.utf8)),
        .signed("a duplicate key within", "payload_duplicate_key", bytes: Array(#"{"data":{"a":1,"a":1}}"#.utf8)),
        .signed(
            "bytes that are no UTF-8", "not_utf8", bytes: Array(#"{"bundleId":""#.utf8) + [0xC3, 0x28, 0x22, 0x7D]),
        .signed(
            "nesting of 33 levels", "payload_too_deep",
            bytes: Array((#"{"data":"# + String(repeating: "[", count: 32)).utf8)),
        .signed("a JWS above 256 KiB", "payload_too_large", Sample.transaction(["x": .string(filler)])),
        .signed("a kind nobody knows", "kind_unknown", .object(["environment": .string("Sandbox")])),
        .signed(
            "a date after the year 9999", "date_out_of_range",
            Sample.transaction(["signedDate": .integer(253_402_300_800_000)])),
        .signed(
            "a date before the year 0", "date_out_of_range",
            Sample.transaction(["purchaseDate": .integer(-62_167_219_200_001)])),
        .signed("a date beyond all dates", "date_out_of_range", Sample.transaction(["expiresDate": .double(1e300)])),
    ]

    static let chains: [BadInput] = [
        BadInput("alg none", "algorithm_unsupported") {
            var header = Sample.signer.header
            header.alg = "none"
            return Sample.signer.sign(Sample.transaction(), header: header).with(signature: []).compact
        },
        .header("alg HS256", "algorithm_unsupported") { $0.alg = "HS256" },
        .header("alg ES384", "algorithm_unsupported") { $0.alg = "ES384" },
        .header("alg in lower case", "algorithm_unsupported") { $0.alg = "es256" },
        .header("no alg", "algorithm_unsupported") { $0.alg = nil },
        .header("critical extensions", "algorithm_unsupported") {
            $0.extraFields = [.init("crit", .array([.string("b64")]))]
        },
        BadInput("signed by Xcode", "environment_refused") {
            JWSSigner(try .mintXcode()).sign(Sample.transaction(["environment": .string("Xcode")])).compact
        },
        .signed("local testing", "environment_refused", Sample.transaction(["environment": .string("LocalTesting")])),
        .signed(
            "an app transaction of Xcode", "environment_refused",
            Sample.appTransaction(["receiptType": .string("Xcode")])),
        .header("no x5c", "certificate_count") { $0.x5c = nil },
        .header("no certificate", "certificate_count") { $0.x5c = [] },
        .header("one certificate", "certificate_count") { $0.x5c?.removeLast(2) },
        .header("two certificates", "certificate_count") { $0.x5c?.removeLast() },
        .header("four certificates", "certificate_count") { $0.x5c?.append(SigningAuthority.standard.rootCertificate) },
        .header("x5c that is no array", "certificate_count") {
            $0.x5c = nil
            $0.extraFields = [.init("x5c", .string("MIIB"))]
        },
        .header("an empty certificate", "certificate_malformed") { $0.x5c?[0] = [] },
        .header("a truncated certificate", "certificate_malformed") { $0.x5c?[1].removeLast() },
        .header("bytes behind a certificate", "certificate_malformed") { $0.x5c?[2].append(0) },
        .header("a number for a certificate", "certificate_malformed") { $0.replaceCertificate { _ in .integer(1) } },
        .header("a certificate with more padding than it needs", "certificate_malformed") {
            $0.replaceCertificate { .string($0 + "=") }
        },
        .header("a certificate with a line break", "certificate_malformed") {
            $0.replaceCertificate { .string($0 + "\n") }
        },
        BadInput("a foreign root", "chain_untrusted") {
            JWSSigner(try .mint()).sign(Sample.transaction()).compact
        },
        BadInput("a foreign chain under our root", "chain_untrusted") {
            let foreign = try SigningAuthority.mint()
            let certificates = foreign.certificates.dropLast() + [SigningAuthority.standard.rootCertificate]
            return JWSSigner(SigningAuthority(certificates: Array(certificates), leafKey: foreign.leafKey))
                .sign(Sample.transaction()).compact
        },
        BadInput("a swapped leaf", "chain_untrusted") {
            JWSSigner(SigningAuthority.standard.withLeaf(of: try .mint())).sign(Sample.transaction()).compact
        },
        .header("certificates in reverse", "chain_untrusted") { $0.x5c?.reverse() },
        .header("the root thrice", "chain_untrusted") { $0.x5c = $0.x5c.map { [$0[2], $0[2], $0[2]] } },
        .chain("an intermediate that is no authority", "chain_untrusted") { $0.intermediateIsAuthority = false },
        .chain("an expired leaf", "chain_expired") { $0.leafValidity = .past },
        .chain("a leaf not yet valid", "chain_expired") { $0.leafValidity = .future },
        .chain("an expired intermediate", "chain_expired") { $0.intermediateValidity = .past },
        .chain("an expired root", "chain_expired") { $0.rootValidity = .past },
        .chain("no marker on the leaf", "marker_missing_leaf") { $0.marksLeaf = false },
        .chain("no marker on the intermediate", "marker_missing_intermediate") { $0.marksIntermediate = false },
        .chain("a leaf with a key for another algorithm", "signature_invalid") { $0.leafCurve = .p384 },
    ]

    static let signatures: [BadInput] = [
        BadInput("a flipped bit", "signature_invalid") { Sample.signer.sign(Sample.transaction()).forged.compact },
        .signature("none", "signature_invalid") { _ in [] },
        .signature("63 bytes", "signature_invalid") { $0.dropLast() },
        .signature("65 bytes", "signature_invalid") { $0 + [0] },
        .signature("zeros", "signature_invalid") { _ in [UInt8](repeating: 0, count: 64) },
        .signature("ones", "signature_invalid") { _ in [UInt8](repeating: 0xFF, count: 64) },
        .signature("R and S exchanged", "signature_invalid") { Array($0[32...] + $0[..<32]) },
        .signature("that of another payload", "signature_invalid") { _ in
            Sample.signer.sign(Sample.renewalInfo()).signature
        },
        .signature("written as DER", "signature_invalid") {
            [0x30, 0x44, 0x02, 0x20] + $0[..<32] + [0x02, 0x20] + $0[32...]
        },
    ]

    static let claims: [BadInput] = [
        .signed("another app", "bundle_mismatch", Sample.transaction(["bundleId": .string("com.example.other")])),
        .signed("no app", "claim_missing", Sample.transaction(["bundleId": nil])),
        .signed("an app that is a number", "claim_malformed", Sample.transaction(["bundleId": .integer(1)])),
        .signed("a list as a date", "claim_malformed", Sample.transaction(["expiresDate": .array([])])),
        .signed("a boolean as a signing time", "claim_malformed", Sample.transaction(["signedDate": .bool(true)])),
        .signed(
            "text as a date", "claim_malformed", Sample.appTransaction(["receiptCreationDate": .string("2026-01-15")])),
        .signed("an object as an id", "claim_malformed", Sample.transaction(["originalTransactionId": .object([])])),
        .signed("text as a price", "claim_malformed", Sample.transaction(["price": .string("free")])),
        .signed("text as a boolean", "claim_malformed", Sample.transaction(["isUpgraded": .string("true")])),
        .signed("a word as a number", "claim_malformed", Sample.renewalInfo(["autoRenewStatus": .string("1")])),
        .signed("a number as a word", "claim_malformed", Sample.transaction(["environment": .integer(1)])),
        .signed("text as an object", "claim_malformed", Sample.transaction(["commitmentInfo": .string("{}")])),
        .signed("a list as the data", "claim_malformed", Sample.notification([:], part: "data", .array([]))),
        .signed(
            "a number in a list of texts", "claim_malformed",
            Sample.renewalInfo(["eligibleWinBackOfferIds": .array([.string("a"), .integer(1)])])),
        .signed(
            "a number as a nested JWS", "claim_malformed", Sample.notification(data: ["signedRenewalInfo": .integer(1)])
        ),
        .signed(
            "a notification of another app", "bundle_mismatch", Sample.notification(data: ["bundleId": .string("x")])),
        .signed(
            "an app transaction of another app", "bundle_mismatch",
            Sample.appTransaction(["bundleId": .string("COM.EXAMPLE.APP")])),
        .signed(
            "another app id in Production", "app_apple_id_mismatch",
            Sample.notification(data: ["appAppleId": .integer(1), "environment": .string("Production")])),
        .signed(
            "no app id in Production", "app_apple_id_mismatch",
            Sample.notification(data: ["environment": .string("Production")])),
        .signed(
            "another app id in Sandbox", "app_apple_id_mismatch", Sample.notification(data: ["appAppleId": .integer(1)])
        ),
        .signed("no environment", "claim_missing", Sample.transaction(["environment": nil])),
        .signed("an unknown environment", "environment_mismatch", Sample.transaction(["environment": .string("Mars")])),
        .signed(
            "an environment that is not accepted", "environment_mismatch", trust: .productionOnly, Sample.transaction()),
        .signed(
            "a notification from there", "environment_mismatch", trust: .productionOnly, Sample.notification()),
        .signed("renewal info from there", "environment_mismatch", trust: .productionOnly, Sample.renewalInfo()),
        .signed(
            "an app transaction from there", "environment_mismatch", trust: .productionOnly, Sample.appTransaction()),
        .signed(
            "signed a day and a millisecond ahead", "from_the_future",
            Sample.transaction(["signedDate": .integer(Sample.now.milliseconds + 86_400_001)])),
        .signed(
            "a notification from the future", "from_the_future",
            Sample.notification(["signedDate": .integer(Sample.now.milliseconds + 86_400_001)])),
        .signed(
            "renewal info from the future", "from_the_future",
            Sample.renewalInfo(["signedDate": .integer(Sample.now.milliseconds + 86_400_001)])),
        .signed(
            "an app transaction from the future", "from_the_future",
            Sample.appTransaction(["receiptCreationDate": .integer(Sample.now.milliseconds + 86_400_001)])),
    ]

    static let nested: [BadInput] = [
        .signed(
            "no JWS", "jws_malformed", part: "signedTransactionInfo", Sample.notification(transaction: "nothing")),
        .signed(
            "a JWS in non-canonical base64", "jws_malformed", part: "signedTransactionInfo",
            Sample.notification(transaction: Sample.signer.sign(Sample.transaction()).text + "=")),
        .signed(
            "a forged transaction", "signature_invalid", part: "signedTransactionInfo",
            Sample.notification(transaction: Sample.signer.sign(Sample.transaction()).forged.text)),
        .signed(
            "forged renewal info", "signature_invalid", part: "signedRenewalInfo",
            Sample.notification(
                transaction: Sample.signer.sign(Sample.transaction()).text,
                renewalInfo: Sample.signer.sign(Sample.renewalInfo()).forged.text)),
        BadInput("a transaction under another root", "chain_untrusted", part: "signedTransactionInfo") {
            let foreign = JWSSigner(try .mint())
            return Sample.signer.sign(Sample.notification(transaction: foreign.sign(Sample.transaction()).text)).compact
        },
        BadInput("renewal info under another root", "chain_untrusted", part: "signedRenewalInfo") {
            let foreign = JWSSigner(try .mint())
            return Sample.signer.sign(
                Sample.notification(
                    transaction: Sample.signer.sign(Sample.transaction()).text,
                    renewalInfo: foreign.sign(Sample.renewalInfo()).text)
            ).compact
        },
        BadInput("a duplicate key within", "payload_duplicate_key", part: "signedTransactionInfo") {
            let jws = Sample.signer.sign(Array(#"{"bundleId":"a","bundleId":"a"}"#.utf8))
            return Sample.signer.sign(Sample.notification(transaction: jws.text)).compact
        },
        .signed(
            "a date after the year 9999", "date_out_of_range", part: "signedTransactionInfo",
            Sample.notification(transaction: Sample.transaction(["expiresDate": .integer(253_402_300_800_000)]))),
        .signed(
            "a number as an id within", "claim_malformed", part: "signedTransactionInfo",
            Sample.notification(transaction: Sample.transaction(["transactionId": .integer(7)]))),
        .signed(
            "a transaction of Xcode", "environment_refused", part: "signedTransactionInfo",
            Sample.notification(transaction: Sample.transaction(["environment": .string("Xcode")]))),
        .signed(
            "a transaction from the future", "from_the_future", part: "signedTransactionInfo",
            Sample.notification(
                transaction: Sample.transaction(["signedDate": .integer(Sample.now.milliseconds + 86_400_001)]))),
        .signed(
            "renewal info from the future", "from_the_future", part: "signedRenewalInfo",
            Sample.notification(
                renewalInfo: Sample.renewalInfo(["signedDate": .integer(Sample.now.milliseconds + 86_400_001)]))),
        .signed(
            "a transaction of another app", "nested_mismatch", part: "signedTransactionInfo",
            Sample.notification(transaction: Sample.transaction(["bundleId": .string("com.example.other")]))),
        .signed(
            "a transaction without app", "nested_mismatch", part: "signedTransactionInfo",
            Sample.notification(transaction: Sample.transaction(["bundleId": nil]))),
        .signed(
            "a transaction from another environment", "nested_mismatch", part: "signedTransactionInfo",
            Sample.notification(transaction: Sample.transaction(["environment": .string("Production")]))),
        .signed(
            "renewal info from another environment", "nested_mismatch", part: "signedRenewalInfo",
            Sample.notification(renewalInfo: Sample.renewalInfo(["environment": .string("Production")]))),
        .signed(
            "renewal info without environment", "nested_mismatch", part: "signedRenewalInfo",
            Sample.notification(renewalInfo: Sample.renewalInfo(["environment": nil]))),
        .signed(
            "renewal info of another subscription", "nested_mismatch", part: "signedRenewalInfo",
            Sample.notification(renewalInfo: Sample.renewalInfo(["originalTransactionId": .string("1")]))),
        .signed(
            "an app transaction of another app", "nested_mismatch", part: "signedAppTransactionInfo",
            Sample.rescindedConsent(Sample.appTransaction(["bundleId": .string("com.example.other")]))),
        .signed(
            "an app transaction from another environment", "nested_mismatch", part: "signedAppTransactionInfo",
            Sample.rescindedConsent(Sample.appTransaction(["receiptType": .string("Production")]))),
    ]

    /// 200 KB, which base64 enlarges.
    private static var filler: String { String(repeating: "x", count: 200_000) }
}

extension JWSHeader {
    /// Replaces the leaf certificate with another JSON value.
    mutating func replaceCertificate(_ change: (String) -> JSONValue) {
        let texts = (x5c ?? []).map { Base64.encode($0) }
        x5c = nil
        extraFields = [.init("x5c", .array([change(texts[0])] + texts.dropFirst().map { .string($0) }))]
    }
}

extension ClosedRange<Instant> {
    /// A range that ends years before the samples are signed.
    static let past = Instant(milliseconds: 1_388_534_400_000)...Instant(milliseconds: 1_600_000_000_000)
    /// A range that starts years after the samples are signed.
    static let future = Instant(milliseconds: 1_900_000_000_000)...Instant(milliseconds: 2_335_219_200_000)
}

extension TrustPolicy {
    static var productionOnly: TrustPolicy {
        var trust = TrustPolicy.sample
        trust.environments = [.production]
        return trust
    }
}

import EventLog
import Primitives
import Testing

/// A record, its bytes and its leaf hash, computed from the byte table of format 1 independently of the code under
/// test. The format is frozen, so these must never change.
struct GoldenRecord: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let record: Record
    let hex: String
    /// SHA-256(0x00 ‖ bytes), RFC 6962 §2.1.
    let leafHash: String

    private init(_ name: String, _ record: Record, hex: String, leafHash: String) {
        testDescription = name
        self.record = record
        self.hex = hex.filter { !$0.isWhitespace }
        self.leafHash = leafHash
    }

    private static let ones = Digest(words: (.max, .max, .max, .max))

    private static func idempotencyKey(_ hex: String) -> IdempotencyKey {
        IdempotencyKey(UInt128(hex, radix: 16) ?? 0)
    }

    static let all = [
        GoldenRecord(
            "a transaction",
            Record(
                position: 0, kind: .transactionVerified, source: .http, environment: .production,
                artifact: .transaction, trust: .signed, flags: [],
                recordedAt: Instant(milliseconds: 1_768_478_400_000),
                idempotencyKey: idempotencyKey("acd1adccc2c42dfb907e190803490e3f"),
                evidenceDigest: .sha256(of: Array("evidence".utf8)), evidenceLength: 8,
                verifiedAt: Instant(milliseconds: 1_768_478_340_000),
                leafCertificate: .sha256(of: Array("leaf".utf8)), rootCertificate: .sha256(of: Array("root".utf8)),
                body: Array("{}".utf8)),
            hex: """
                0101010102010000000000000000000000de86c19b010000acd1adccc2c42dfb907e190803490e3fee8250fb76e094b3
                4b471f13a73dbbe51d1ae142e9df59d7c0d31ec20f0a0a8e0800000002000000a0f385c19b0100009f91161f43433e49
                a6de6db680d79f60159f2e4ac9172621a12846428158440b4813494d137e1631bba301d5acab6e7bb7aa74ce1185d456
                565ef51d737677b27b7d
                """,
            leafHash: "25a7db01aaa70ba14604a87fc21d03104cb980b5d439ae9f32977a98b35901b2"),
        GoldenRecord(
            "a repeated sandbox notification under a configured root",
            Record(
                position: 256, kind: .notificationReceived, source: .file, environment: .sandbox,
                artifact: .notificationV2, trust: .signed, flags: [.configuredRoot, .repeats, .appIdNotChecked],
                recordedAt: Instant(milliseconds: 1_768_478_400_001),
                idempotencyKey: idempotencyKey("1709fea4012b299791ead28d76270411"),
                evidenceDigest: .sha256(of: Array("eyJhbGciOiJFUzI1NiJ9.e30.AA".utf8)), evidenceLength: 27,
                verifiedAt: .earliest, leafCertificate: .sha256(of: Array("leaf".utf8)),
                rootCertificate: .sha256(of: Array("configured root".utf8)),
                body: Array(#"{"notificationUUID":"15101c57-7b3d-49c2-8adf-74ac2740ea8c"}"#.utf8)),
            hex: """
                0103020201011300000100000000000001de86c19b0100001709fea4012b299791ead28d762704119dfbdd0b8229f379
                d151dfb43337f3c285efa81bcb21c69dc617e1fe4110ec6f1b0000003b00000000a0fb9075c7ffff9f91161f43433e49
                a6de6db680d79f60159f2e4ac9172621a12846428158440bd154ed7f9e645291046caa02a4d2dc5edeae7419d2c8f7c4
                c4626ab1def599c27b226e6f74696669636174696f6e55554944223a2231353130316335372d376233642d343963322d
                386164662d373461633237343065613863227d
                """,
            leafHash: "ee67acfa945b14b2d8ed8045aff09b660c959626b4e7253b82eb64ceb0e3159c"),
        GoldenRecord(
            "a polled renewal info, long ago",
            Record(
                position: 0x0102_0304_0506_0708, kind: .renewalInfoVerified, source: .poll, environment: .xcode,
                artifact: .renewalInfo, trust: .fetched, flags: .confirms, recordedAt: .earliest,
                idempotencyKey: idempotencyKey("885e097c14afbdd683bd1d3cccf3bff4"),
                evidenceDigest: .sha256(of: Array("r".utf8)), evidenceLength: 0x0102_0304, verifiedAt: .latest,
                leafCertificate: .zero, rootCertificate: .zero, body: Array(#"{"bundleId":"com.example.app"}"#.utf8)),
            hex: """
                0105030303020800080706050403020100a0fb9075c7ffff885e097c14afbdd683bd1d3cccf3bff4454349e422f05297
                191ead13e21d3db520e5abef52055e4964b82fb213f593a1040302011e000000ffdb1fd277e600000000000000000000
                000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                00000000000000007b2262756e646c654964223a22636f6d2e6578616d706c652e617070227d
                """,
            leafHash: "a141aa55bc1f8701917f4dc1f1b038d90763c1e0041c1e6861d54bd6301f1523"),
        GoldenRecord(
            "a link",
            Record(
                position: UInt64(Int64.max), kind: .customerLinked, source: .operator, environment: .production,
                artifact: .none, trust: .own, flags: [], recordedAt: .latest,
                idempotencyKey: idempotencyKey("5cef8eede684d7e544138ce78c2ced6b"),
                evidenceDigest: .zero, evidenceLength: 0, verifiedAt: Instant(milliseconds: 0),
                leafCertificate: .zero, rootCertificate: .zero,
                body: Array(
                    (#"{"bundleId":"com.example.app","by":"web","environment":"Production","#
                        + #""handle":"000102030405060708090a0b0c0d0e0f","#
                        + #""originalTransactionId":"2000000000000001"}"#).utf8)),
            hex: """
                0110050100050000ffffffffffffff7fffdb1fd277e600005cef8eede684d7e544138ce78c2ced6b0000000000000000
                000000000000000000000000000000000000000000000000000000009b00000000000000000000000000000000000000
                000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                00000000000000007b2262756e646c654964223a22636f6d2e6578616d706c652e617070222c226279223a2277656222
                2c22656e7669726f6e6d656e74223a2250726f64756374696f6e222c2268616e646c65223a2230303031303230333034
                30353036303730383039306130623063306430653066222c226f726967696e616c5472616e73616374696f6e4964223a
                2232303030303030303030303030303031227d
                """,
            leafHash: "2666b508a7491bb3ef04a71731385883f3cdb7ad4b343ea23d84c27185d6d1e9"),
        GoldenRecord(
            "a catalogue",
            Record(
                position: 1, kind: .catalogChanged, source: .import, environment: .none, artifact: .yaml, trust: .own,
                flags: .redacted, recordedAt: Instant(milliseconds: 1),
                idempotencyKey: idempotencyKey("de0eb635035a50331e71eabec8d03894"),
                evidenceDigest: .sha256(of: Array("version: 1\n".utf8)), evidenceLength: 11,
                verifiedAt: Instant(milliseconds: 0), leafCertificate: .zero, rootCertificate: .zero,
                body: Array(
                    #"{"sha256":"09bfcc6a14b83e2192b8673677725c84883ee9cd0c70e45c9ec09daa8f2b2847"}"#.utf8)),
            hex: """
                012006000a05040001000000000000000100000000000000de0eb635035a50331e71eabec8d0389409bfcc6a14b83e21
                92b8673677725c84883ee9cd0c70e45c9ec09daa8f2b28470b0000004d00000000000000000000000000000000000000
                000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                00000000000000007b22736861323536223a223039626663633661313462383365323139326238363733363737373235
                6338343838336565396364306337306534356339656330396461613866326232383437227d
                """,
            leafHash: "d6e5820b54c02c55c54cca3a8f1c89d3f18c92ce9b4730178948cab8706753fc"),
        GoldenRecord(
            "what a later version may write",
            Record(
                position: .max, kind: EventKind(rawValue: 255), source: .reconcile, environment: .localTesting,
                artifact: ArtifactCode(rawValue: 255), trust: .sharedSecret, flags: RecordFlags(rawValue: 0xFFFF),
                recordedAt: Instant(milliseconds: -1),
                idempotencyKey: idempotencyKey("ffffffffffffffffffffffffffffffff"),
                evidenceDigest: ones, evidenceLength: .max, verifiedAt: Instant(milliseconds: -1),
                leafCertificate: ones, rootCertificate: ones, body: []),
            hex: """
                01ff0404ff03ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
                ffffffffffffffffffffffffffffffffffffffffffffffffffffffff00000000ffffffffffffffffffffffffffffffff
                ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
                ffffffffffffffff
                """,
            leafHash: "ba465cfd44cb5d10c83552e47beaea72b2bbd862ce5a920458515988c0bcb278"),
    ]
}

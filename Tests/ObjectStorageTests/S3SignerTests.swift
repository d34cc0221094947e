import ObjectStorage
import Primitives
import Testing

@Suite struct `A signature of version 4` {
    /// The requests of the AWS Signature Version 4 Test Suite, which were published with
    /// https://docs.aws.amazon.com/general/latest/gr/signature-v4-test-suite.html
    struct SuiteCase: Sendable, CustomTestStringConvertible {
        let name: String
        var method = "GET"
        var path = "/"
        var query: [String: String] = [:]
        var headers: [String: String] = [:]
        var body = ""
        let signature: String

        var testDescription: String { name }
    }

    private static let suiteCases = [
        SuiteCase(
            name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        SuiteCase(
            name: "get-vanilla-query-order-key-case", query: ["Param2": "value2", "Param1": "value1"],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        SuiteCase(
            name: "get-utf8", path: "/\u{1234}",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        SuiteCase(
            name: "get-vanilla-utf8-query", query: ["\u{1234}": "bar"],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        SuiteCase(
            name: "get-unreserved", path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        SuiteCase(
            name: "get-header-value-trim", headers: ["my-header1": " value1", "my-header2": " \"a   b   c\""],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        SuiteCase(
            name: "post-vanilla", method: "POST",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        SuiteCase(
            name: "post-header-key-sort", method: "POST", headers: ["my-header1": "value1"],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        SuiteCase(
            name: "post-x-www-form-urlencoded", method: "POST",
            headers: ["content-type": "application/x-www-form-urlencoded"], body: "Param1=value1",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        SuiteCase(
            name: "post-sts-header-before", method: "POST", headers: ["x-amz-security-token": sessionToken],
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    ]

    private static let sessionToken =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8"
        + "YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6"
        + "q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJ"
        + "abIQwj2ICCR/oLxBA=="

    @Test(arguments: suiteCases) func `is that of the test suite`(_ vector: SuiteCase) throws {
        let signer = S3Signer(
            S3Credentials(
                accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "service")
        let instant = try #require(Instant(iso8601: "2015-08-30T12:36:00Z"))
        var headers = vector.headers
        headers["host"] = "example.amazonaws.com"
        headers["x-amz-date"] = S3Signer.timestamp(instant)
        let request = CanonicalRequest(
            vector.method, path: PercentEncoding.path(vector.path), query: vector.query, headers: headers,
            payload: .sha256(of: vector.body.utf8))
        #expect(
            signer.authorization(of: request, at: instant)
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(headers.keys.sorted().joined(separator: ";")), Signature=\(vector.signature)")
    }

    /// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    private static let examples = [
        SuiteCase(
            name: "GET Object", path: "/test.txt", headers: ["range": "bytes=0-9"],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        SuiteCase(
            name: "PUT Object", method: "PUT", path: "/test$file.text",
            headers: ["date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        SuiteCase(
            name: "GET Bucket Lifecycle", query: ["lifecycle": ""],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        SuiteCase(
            name: "Get Bucket (List Objects)", query: ["max-keys": "2", "prefix": "J"],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    private static let documentSigner = S3Signer(
        S3Credentials(accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1")

    private static func request(_ example: SuiteCase) -> CanonicalRequest {
        let payload = Digest.sha256(of: example.body.utf8)
        var headers = example.headers
        headers["host"] = "examplebucket.s3.amazonaws.com"
        headers["x-amz-content-sha256"] = payload.hex
        headers["x-amz-date"] = "20130524T000000Z"
        return CanonicalRequest(
            example.method, path: PercentEncoding.path(example.path), query: example.query, headers: headers,
            payload: payload)
    }

    @Test(arguments: examples) func `is that of the examples of S3`(_ example: SuiteCase) throws {
        let instant = try #require(Instant(iso8601: "2013-05-24"))
        let authorization = Self.documentSigner.authorization(of: Self.request(example), at: instant)
        #expect(authorization.hasSuffix(", Signature=\(example.signature)"), "\(authorization)")
    }

    @Test func `covers the canonical request of the documentation`() throws {
        let request = Self.request(Self.examples[0])
        #expect(
            request.text == """
                GET
                /test.txt

                host:examplebucket.s3.amazonaws.com
                range:bytes=0-9
                x-amz-content-sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                x-amz-date:20130524T000000Z

                host;range;x-amz-content-sha256;x-amz-date
                e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                """)
        let instant = try #require(Instant(iso8601: "2013-05-24"))
        #expect(
            Self.documentSigner.stringToSign(request, at: instant) == """
                AWS4-HMAC-SHA256
                20130524T000000Z
                20130524/us-east-1/s3/aws4_request
                7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972
                """)
    }

    @Test func `leaves the secrets out of descriptions`() {
        let credentials = S3Credentials(accessKeyId: "AKID", secretAccessKey: "hush", sessionToken: "quiet")
        var dumped = ""
        dump(S3Signer(credentials, region: "r"), to: &dumped)
        for text in ["\(credentials)", String(reflecting: S3Signer(credentials, region: "r")), dumped] {
            #expect(text.contains("AKID") && !text.contains("hush") && !text.contains("quiet"))
        }
    }
}

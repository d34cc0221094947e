import ObjectStorage
import Testing

@Suite struct `The address of a bucket` {
    @Test func `names the bucket in the host at Amazon`() {
        let address = S3Address(bucket: "warehouse", region: "eu-central-1")
        #expect(address.origin == "https://warehouse.s3.eu-central-1.amazonaws.com")
        #expect(address.host == "warehouse.s3.eu-central-1.amazonaws.com")
        #expect(address.path(of: "a/b.csv") == "/a/b.csv")
    }

    @Test func `names a bucket with dots in the path, for the certificate of Amazon`() {
        let address = S3Address(bucket: "ware.house", region: "eu-central-1")
        #expect(address.origin == "https://s3.eu-central-1.amazonaws.com")
        #expect(address.path(of: "a") == "/ware.house/a")
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:9000", "http://127.0.0.1:9000", "127.0.0.1:9000", "/warehouse/k"),
            ("https://storage.example.com/", "https://storage.example.com", "storage.example.com", "/warehouse/k"),
            ("https://storage.example.com:443", "https://storage.example.com", "storage.example.com", "/warehouse/k"),
            (
                "http://storage.example.com:443", "http://storage.example.com:443", "storage.example.com:443",
                "/warehouse/k"
            ),
            ("https://example.com/store/s3/", "https://example.com", "example.com", "/store/s3/warehouse/k"),
            ("http://[::1]:9000", "http://[::1]:9000", "[::1]:9000", "/warehouse/k"),
        ])
    func `names the bucket in the path of an endpoint`(
        _ endpoint: String, _ origin: String, _ host: String, _ path: String
    ) throws {
        let address = try #require(S3Address(bucket: "warehouse", endpoint: endpoint))
        #expect(address.origin == origin && address.host == host && address.path(of: "k") == path)
    }

    @Test(
        arguments: [
            "", "127.0.0.1:9000", "ftp://example.com", "https://", "https:///a", "https://:443",
            "https://user:pass@example.com",
            "https://example.com?a=b", "https://exa mple.com", "https://example.com/#a",
        ])
    func `is not read from another text`(_ endpoint: String) {
        #expect(S3Address(bucket: "warehouse", endpoint: endpoint) == nil)
    }

    @Test func `has keys that are escaped once, except their slashes`() {
        let address = S3Address(bucket: "warehouse", region: "eu-central-1")
        #expect(address.path(of: "a b/é$+%41/../~x") == "/a%20b/%C3%A9%24%2B%2541/../~x")
        #expect(PercentEncoding.component("a/b=c&d") == "a%2Fb%3Dc%26d")
    }

    @Test(
        arguments: [
            ("s3://warehouse", "warehouse", "k", "s3://warehouse/k"),
            ("s3://warehouse/", "warehouse", "k", "s3://warehouse/k"),
            ("s3://warehouse/sub//ledger/", "warehouse", "sub/ledger/k", "s3://warehouse/sub/ledger/k"),
        ])
    func `is named by a location`(_ text: String, _ bucket: String, _ key: String, _ url: String) throws {
        let location = try #require(S3Location(text))
        #expect(location.bucket == bucket && location.key("k") == key && location.url(of: "k") == url)
    }

    @Test(arguments: [
        "s3://", "s3:///a", "s3://ab/c", "s3://Bucket/a", "s3://a_b_c", "s3://a@b.c", "/s3://warehouse", "warehouse",
    ])
    func `is not named by another text`(_ text: String) {
        #expect(S3Location(text) == nil)
    }
}

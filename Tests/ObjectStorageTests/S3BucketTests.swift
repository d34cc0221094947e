import HTTPTypes
import ObjectStorage
import Primitives
import Testing

@Suite struct `A bucket` {
    private typealias Answer = CannedStorage.Answer

    private static let upload = Answer(
        body: "<InitiateMultipartUploadResult><UploadId>a&amp;b/c</UploadId></InitiateMultipartUploadResult>")
    private static let part = Answer(headers: ["ETag": "\"tag\""])
    private static let completed = Answer(
        body: "<CompleteMultipartUploadResult><ETag>tag</ETag></CompleteMultipartUploadResult>")

    private static func field(_ name: String, of call: CannedStorage.Call) -> String? {
        HTTPField.Name(name).flatMap { call.headers[$0] }
    }

    private static func put(_ server: CannedStorage, sessionToken: String? = nil) async throws {
        try await server.run(sessionToken: sessionToken) { try await $0.put([1, 2, 3], as: "a b/c") }
    }

    @Test func `signs the body, the token and the path it sends`() async throws {
        let server = CannedStorage([Answer()])
        try await Self.put(server, sessionToken: "session")
        let call = try #require(server.calls.first)
        #expect(server.lines == ["PUT /warehouse/a%20b/c"] && call.body == [1, 2, 3])
        let digest = Digest.sha256(of: [1, 2, 3]).hex
        #expect(Self.field("x-amz-content-sha256", of: call) == digest)
        #expect(Self.field("x-amz-meta-sha256", of: call) == digest)
        #expect(Self.field("x-amz-security-token", of: call) == "session")
        let authorization = try #require(Self.field("authorization", of: call))
        let signed = "host;x-amz-content-sha256;x-amz-date;x-amz-meta-sha256;x-amz-security-token"
        #expect(authorization.contains("SignedHeaders=\(signed), "))
    }

    @Test func `repeats a request that the service cannot carry out now`() async throws {
        let server = CannedStorage([.error(503, "SlowDown"), .error(500, "InternalError"), Answer()])
        try await Self.put(server)
        #expect(server.calls.count == 3)
    }

    @Test func `stops repeating, with the code of the last answer`() async throws {
        let server = CannedStorage([.error(503, "SlowDown")])
        let error = await #expect(throws: ObjectStorageError.self) { try await Self.put(server) }
        #expect(server.calls.count == 3)
        #expect(error?.diagnosis.code == "object_storage_unavailable" && error?.found == "status 503, SlowDown")
        #expect(error?.diagnosis.isRetryable == true)
    }

    @Test func `repeats a request that no connection carries`() async throws {
        // Nothing listens at the port of a server that has stopped.
        let bucket = try CannedStorage.bucket(port: 1)
        let error = await #expect(throws: ObjectStorageError.self) { try await bucket.put([], as: "k") }
        #expect(error?.diagnosis.code == "object_storage_unavailable")
    }

    @Test(
        arguments: [
            (403, "SignatureDoesNotMatch"), (403, "AccessDenied"), (404, "NoSuchBucket"), (501, "NotImplemented"),
            (301, "PermanentRedirect"), (400, "InvalidRequest"),
        ])
    func `repeats no request that the service refuses`(_ status: Int, _ code: String) async throws {
        let server = CannedStorage([.error(status, code)])
        let error = await #expect(throws: ObjectStorageError.self) { try await Self.put(server) }
        #expect(server.calls.count == 1)
        #expect(error?.diagnosis.code == "object_storage_refused" && error?.found == "status \(status), \(code)")
        let text = error.map { "\($0) \($0.diagnosis)" } ?? ""
        #expect(!text.contains(CannedStorage.secret) && !text.contains("Signature="))
    }

    @Test func `takes no code from another answer than an error of S3`() async throws {
        let server = CannedStorage([Answer(status: 403, body: "<html><Code>x</Code></html>")])
        let error = await #expect(throws: ObjectStorageError.self) { try await Self.put(server) }
        #expect(error?.found == "status 403")
    }

    @Test func `stores an object only where there is none`() async throws {
        let server = CannedStorage([
            Answer(), .error(412, "PreconditionFailed"), .error(409, "ConditionalRequestConflict"), Answer(),
        ])
        let stored = try await server.run { bucket in
            [
                try await bucket.putIfAbsent([1], as: "k"), try await bucket.putIfAbsent([1], as: "k"),
                try await bucket.putIfAbsent([1], as: "k"),
            ]
        }
        #expect(stored == [true, false, true] && server.calls.count == 4)
        #expect(server.calls.allSatisfy { Self.field("if-none-match", of: $0) == "*" })
    }

    @Test func `knows a missing object from a missing bucket`() async throws {
        let server = CannedStorage([
            .error(404, "NoSuchKey"), Answer(body: "{\"Code\":1}"), .error(404, "NoSuchBucket"),
        ])
        let found = try await server.run { bucket in
            [try await bucket.get("k", limit: 100), try await bucket.get("k", limit: 100)]
        }
        #expect(found == [nil, Array("{\"Code\":1}".utf8)])
        let error = await #expect(throws: ObjectStorageError.self) {
            try await server.run { try await $0.get("k", limit: 100) }
        }
        #expect(error?.found == "status 404, NoSuchBucket")
    }

    @Test func `does not read an object of more than the limit`() async throws {
        let server = CannedStorage([Answer(body: "12345")])
        let error = await #expect(throws: ObjectStorageError.self) {
            try await server.run { try await $0.get("k", limit: 4) }
        }
        #expect(error?.found == "an answer of more than 4 bytes" && server.calls.count == 1)
    }

    @Test func `returns the properties of an object`() async throws {
        let digest = Digest.sha256(of: [7])
        let server = CannedStorage([
            Answer(headers: ["x-amz-meta-sha256": digest.hex], body: "1234"), Answer(status: 404),
        ])
        let found = try await server.run { bucket in
            [try await bucket.head("k"), try await bucket.head("k")]
        }
        #expect(found.map { $0?.sha256 } == [digest, nil] && found[1] == nil)
    }

    private static func uploadNine(_ server: CannedStorage) async throws {
        let bytes = Array(UInt8(1)...9)
        try await server.run { bucket in
            try await bucket.upload(byteCount: 9, sha256: .sha256(of: bytes), as: "k") { range in
                #expect(range.count <= 4)
                return Array(bytes[range])
            }
        }
    }

    @Test func `gets a large object in parts`() async throws {
        let server = CannedStorage([Self.upload, Self.part, Self.part, Self.part, Self.completed])
        try await Self.uploadNine(server)
        let id = "uploadId=a%26b%2Fc"
        #expect(
            server.lines == [
                "POST /warehouse/k?uploads=", "PUT /warehouse/k?partNumber=1&\(id)",
                "PUT /warehouse/k?partNumber=2&\(id)",
                "PUT /warehouse/k?partNumber=3&\(id)", "POST /warehouse/k?\(id)",
            ])
        #expect(server.calls[1...3].map(\.body) == [[1, 2, 3, 4], [5, 6, 7, 8], [9]])
        let text = String(decoding: server.calls[4].body, as: UTF8.self)
        #expect(text.contains("<Part><PartNumber>3</PartNumber><ETag>&quot;tag&quot;</ETag></Part></Complete"))
    }

    @Test func `gets a small object at once`() async throws {
        let server = CannedStorage([Answer()])
        try await server.run {
            try await $0.upload(byteCount: 4, sha256: .zero, as: "k") { Array(UInt8(0)..<4)[$0].map(\.self) }
        }
        #expect(server.lines == ["PUT /warehouse/k"])
    }

    @Test func `discards the parts of an upload that fails`() async throws {
        let server = CannedStorage([Self.upload, Self.part, .error(403, "AccessDenied"), Answer(status: 204)])
        await #expect(throws: ObjectStorageError.self) { try await Self.uploadNine(server) }
        #expect(server.lines.count == 4 && server.lines.last == "DELETE /warehouse/k?uploadId=a%26b%2Fc")
    }

    @Test func `does not complete an upload whose answer is an error with status 200`() async throws {
        let parts = [Self.upload, Self.part, Self.part, Self.part]
        let refused = CannedStorage(parts + [Answer(body: "  \n<Error><Code>InvalidPart</Code></Error>"), Answer()])
        let error = await #expect(throws: ObjectStorageError.self) { try await Self.uploadNine(refused) }
        #expect(error?.found == "status 200, InvalidPart" && refused.lines.last?.hasPrefix("DELETE") == true)
        let busy = CannedStorage(parts + [.error(200, "InternalError"), Self.completed])
        try await Self.uploadNine(busy)
        #expect(busy.lines.count == 6)
    }
}

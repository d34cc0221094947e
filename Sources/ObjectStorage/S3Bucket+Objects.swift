import NIOHTTP1
package import Primitives

/// The properties of a stored object.
package struct S3Object: Hashable, Sendable {
    package let byteCount: Int64?
    /// The SHA-256 that was stored with the object.
    package let sha256: Digest?

    package init(byteCount: Int64?, sha256: Digest?) {
        (self.byteCount, self.sha256) = (byteCount, sha256)
    }
}

extension S3Bucket {
    /// The name of the header with the SHA-256 of an object. The checksums of S3 itself are other ones for objects that
    /// were uploaded in parts.
    static let digestHeader = "x-amz-meta-sha256"

    /// Returns the bytes of a small object; nil if there is none.
    /// - Throws: `ObjectStorageError`, also for an object of more than `limit` bytes.
    package func get(_ key: String, limit: Int) async throws -> [UInt8]? {
        var call = S3Call(.GET, key)
        call.answerLimit = limit
        let answer = try await send(call)
        if answer.status == .notFound, answer.errorCode == "NoSuchKey" { return nil }
        guard answer.isSuccess else { throw refusal(of: call, answer) }
        return answer.body
    }

    /// Returns the properties of an object; nil if there is none.
    /// - Throws: `ObjectStorageError`.
    package func head(_ key: String) async throws -> S3Object? {
        let call = S3Call(.HEAD, key)
        let answer = try await send(call)
        if answer.status == .notFound { return nil }
        guard answer.isSuccess else { throw refusal(of: call, answer) }
        return S3Object(
            byteCount: answer.headers.first(name: "content-length").flatMap { Int64($0) },
            sha256: answer.headers.first(name: Self.digestHeader).flatMap { Digest(hex: $0) })
    }

    /// Stores an object, in place of any other with its key.
    /// - Throws: `ObjectStorageError`.
    package func put(_ bytes: [UInt8], as key: String) async throws {
        let call = S3Call(.PUT, key, headers: [Self.digestHeader: Digest.sha256(of: bytes).hex], body: bytes)
        let answer = try await send(call)
        guard answer.isSuccess else { throw refusal(of: call, answer) }
    }

    /// Stores an object unless there is one with its key.
    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    /// - Returns: false if there already is one. It may be this one, if the answer to the first of two attempts was lost.
    /// - Throws: `ObjectStorageError`.
    package func putIfAbsent(_ bytes: [UInt8], as key: String) async throws -> Bool {
        let call = S3Call(.PUT, key, headers: ["if-none-match": "*"], body: bytes)
        let answer = try await send(call)
        if answer.status == .preconditionFailed { return false }
        guard answer.isSuccess else { throw refusal(of: call, answer) }
        return true
    }
}

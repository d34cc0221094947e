import NIOHTTP1
package import Primitives

extension S3Bucket {
    /// Stores an object of any size, in place of any other with its key. At most one part is in memory.
    ///
    /// A large object is uploaded in parts, and is there only once all are. A failed upload is aborted.
    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
    /// - Parameter read: returns the bytes of a range.
    /// - Throws: `ObjectStorageError`; the errors of `read`.
    package func upload(
        byteCount: Int, sha256: Digest, as key: String, read: (Range<Int>) throws -> [UInt8]
    ) async throws {
        guard byteCount > configuration.partSize else { return try await put(try read(0..<byteCount), as: key) }
        let upload = try await createUpload(of: key, sha256)
        do {
            var tags: [String] = []
            for start in stride(from: 0, to: byteCount, by: configuration.partSize) {
                let bytes = try read(start..<min(start + configuration.partSize, byteCount))
                tags.append(try await put(bytes, asPart: tags.count + 1, of: upload, key))
            }
            try await complete(upload, of: key, tags)
        } catch {
            await abort(upload, of: key)
            throw error
        }
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
    private func createUpload(of key: String, _ sha256: Digest) async throws -> String {
        let call = S3Call(
            .POST, key, query: ["uploads": ""], headers: [Self.digestHeader: sha256.hex], body: [])
        let answer = try await send(call)
        guard answer.isSuccess, let id = XMLText.element("UploadId", in: answer.body) else {
            throw refusal(of: call, answer)
        }
        return id
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html
    /// - Returns: the entity tag of the part.
    private func put(
        _ bytes: [UInt8], asPart number: Int, of upload: String, _ key: String
    ) async throws -> String {
        let call = S3Call(.PUT, key, query: ["partNumber": "\(number)", "uploadId": upload], body: bytes)
        let answer = try await send(call)
        guard answer.isSuccess, let tag = answer.headers.first(name: "etag") else { throw refusal(of: call, answer) }
        return tag
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
    private func complete(_ upload: String, of key: String, _ tags: [String]) async throws {
        let parts = tags.enumerated().map { index, tag in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(XMLText.escaped(tag))</ETag></Part>"
        }
        let text =
            #"<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">"#
            + parts.joined() + "</CompleteMultipartUpload>"
        let call = S3Call(.POST, key, query: ["uploadId": upload], body: Array(text.utf8))
        let answer = try await send(call)
        guard answer.isSuccess else { throw refusal(of: call, answer) }
    }

    /// Discards the parts that are stored. Where that fails too, they stay until the bucket's rules remove them.
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html
    private func abort(_ upload: String, of key: String) async {
        // A task of its own, which the cancellation of the upload does not reach.
        let task = Task { try await send(S3Call(.DELETE, key, query: ["uploadId": upload]), attempts: 1) }
        _ = try? await task.value
    }
}

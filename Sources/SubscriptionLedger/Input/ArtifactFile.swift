package import AppStoreVerification
package import EventLog
import Primitives

/// An artifact read from a file, before any verification.
package struct FoundArtifact: Sendable {
    /// The file, or `FILE:LINE` where a line is an artifact.
    package let file: String
    /// The source under which it is appended.
    package var source = EventSource.file
    /// The JWS, with its kind if the wrapping states one; else the reason that there is none.
    package let content: Result<Content, Refusal>

    package struct Content: Sendable {
        package let jws: [UInt8]
        package let kind: ArtifactKind?
    }

    /// The size of the JWS.
    package var byteCount: Int { (try? content.get().jws.count) ?? 0 }

    /// The kind that the wrapping states, else the kind of the unverified claims; nil when neither states one.
    /// - Complexity: decodes the JWS unless the wrapping states the kind.
    package var claimedKind: ArtifactKind? {
        guard let content = try? content.get() else { return nil }
        return content.kind ?? ArtifactKind(claimedBy: content.jws)
    }
}

extension FoundArtifact {
    /// Creates the artifact of a quarantined item, with its original source.
    package init(_ item: QuarantinedItem) {
        self.init(file: item.digest, source: item.source, content: .success(Content(jws: item.artifact, kind: nil)))
    }
}

/// Reads artifacts by the name of their file: `.json` holds a notification body, `.jws` and `.txt` one JWS, `.ndjson`
/// and `.jsonl` one artifact in each line.
package enum ArtifactFile {
    /// The most bytes of one artifact: of a line in an archive, else of the file. Longer ones are refused.
    package static let byteLimit = 8 * 1_024 * 1_024

    package static func isArchive(_ path: String) -> Bool {
        path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl")
    }

    /// Returns the artifact of a whole file. A file with another extension is read like one line of an archive.
    package static func artifact(in bytes: [UInt8], file: String) -> FoundArtifact {
        let isJWS = file.hasSuffix(".jws") || file.hasSuffix(".txt")
        return FoundArtifact(
            file: file,
            content: isJWS ? .success(FoundArtifact.Content(jws: bytes, kind: nil)) : content(of: bytes))
    }

    /// Returns the artifact of one line of an archive: a notification body, a JWS in quotes, or a bare JWS.
    package static func artifact(inLine line: [UInt8], file: String, number: Int) -> FoundArtifact {
        FoundArtifact(file: "\(file):\(number)", content: content(of: line))
    }

    private static func content(of bytes: [UInt8]) -> Result<FoundArtifact.Content, Refusal> {
        guard bytes.count <= byteLimit else {
            return .failure(
                Refusal(
                    .payloadTooLarge, "the text is too long", expected: "at most \(byteLimit) bytes", found: "more"))
        }
        guard let first = bytes.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") || first == UInt8(ascii: "\"")
        else { return .success(FoundArtifact.Content(jws: bytes, kind: nil)) }
        do throws(JSONError) {
            let body = try JSONDocument(parsing: bytes).root
            if let jws = body.string { return .success(FoundArtifact.Content(jws: Array(jws.utf8), kind: nil)) }
            return NotificationBody.signedPayload(of: body).map { FoundArtifact.Content(jws: $0, kind: .notification) }
        } catch {
            return .failure(Refusal(json: error))
        }
    }
}

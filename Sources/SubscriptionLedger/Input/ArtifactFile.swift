package import AppStoreVerification
package import EventLog
import Primitives

/// One thing read from a file, before any verification.
package struct FoundArtifact: Sendable {
    /// The file, or `FILE:LINE` where a line is an artifact.
    package let file: String
    /// How it came here.
    package var source = EventSource.file
    /// The JWS it holds with the kind its wrapping says, or why it holds none.
    package let content: Result<Content, Refusal>

    package struct Content: Sendable {
        package let jws: [UInt8]
        package let kind: ArtifactKind?
    }

    /// Of the JWS.
    package var byteCount: Int { (try? content.get().jws.count) ?? 0 }

    /// What it is verified as: what its wrapping says, else what its claims say, which nothing has proven; nil when
    /// neither tells.
    /// - Complexity: decodes the JWS, where its wrapping does not say.
    package var claimedKind: ArtifactKind? {
        guard let content = try? content.get() else { return nil }
        return content.kind ?? ArtifactKind(claimedBy: content.jws)
    }
}

extension FoundArtifact {
    /// What was refused before, to be tried again as from where it came.
    package init(_ item: QuarantinedItem) {
        self.init(file: item.digest, source: item.source, content: .success(Content(jws: item.artifact, kind: nil)))
    }
}

/// Which artifacts a file holds, by its name: `.json` a notification body, `.jws` and `.txt` one JWS,
/// `.ndjson` and `.jsonl` one artifact a line.
package enum ArtifactFile {
    /// Longer lines of an archive, and longer files that hold one artifact, are refused one by one.
    package static let byteLimit = 8 * 1_024 * 1_024

    package static func isArchive(_ path: String) -> Bool {
        path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl")
    }

    /// What a whole file holds. Names of other endings are read like one line of an archive.
    package static func artifact(in bytes: [UInt8], file: String) -> FoundArtifact {
        let isJWS = file.hasSuffix(".jws") || file.hasSuffix(".txt")
        return FoundArtifact(
            file: file,
            content: isJWS ? .success(FoundArtifact.Content(jws: bytes, kind: nil)) : content(of: bytes))
    }

    /// What one line of an archive holds: a notification body, a JWS in quotes, or a bare JWS.
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

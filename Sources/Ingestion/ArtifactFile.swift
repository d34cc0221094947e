import AppStoreModel
package import AppStoreVerification
package import LedgerStorage
package import Primitives

/// An artifact read from a file, before any verification.
package struct FoundArtifact: Sendable {
    /// The file; `FILE:LINE` for a line of an archive, `#PATH` after it for a part of an answer; the digest of a
    /// quarantined item.
    package let file: String
    /// The source of the appended event.
    package let source: EventSource
    /// The JWS or the receipt, with its kind if the enclosing text determines it; else the refusal.
    package let content: Result<Content, Refusal>

    package struct Content: Sendable {
        package let artifact: [UInt8]
        package let kind: ArtifactKind?
        /// The kind of an artifact without a signature as a whole; nil for any other.
        package let unsigned: UnsignedText?

        package init(artifact: [UInt8], kind: ArtifactKind?) {
            self.artifact = artifact
            self.kind = kind
            unsigned = nil
        }

        package init(artifact: [UInt8], unsigned: UnsignedText) {
            self.artifact = artifact
            kind = nil
            self.unsigned = unsigned
        }
    }

    package init(file: String, source: EventSource = .file, content: Result<Content, Refusal>) {
        self.file = file
        self.source = source
        self.content = content
    }

    /// The size of the artifact.
    package var byteCount: Int { (try? content.get().artifact.count) ?? 0 }

    /// The kind that the enclosing text determines, else the kind of the unverified claims; nil when neither is known.
    /// - Complexity: decodes a JWS unless the enclosing text determines the kind.
    package var claimedKind: ArtifactKind? {
        guard let content = try? content.get(), content.unsigned == nil else { return nil }
        return content.kind ?? ArtifactKind(claimedBy: content.artifact)
    }
}

extension FoundArtifact {
    /// Creates the artifact of a quarantined item, with its original source.
    /// - Parameter isTrusted: whether an operator vouches for a text that is not signed as a whole.
    package init(_ item: QuarantinedItem, isTrusted: Bool = false) {
        let document = (try? JSONDocument(parsing: item.artifact)).flatMap(UnsignedDocument.init)
        let unsigned = document.map { UnsignedText(quarantined: $0, isTrusted: isTrusted) }
        self.init(
            file: item.digest, source: item.source,
            content: .success(
                unsigned.map { Content(artifact: item.artifact, unsigned: $0) }
                    ?? Content(artifact: item.artifact, kind: nil)))
    }
}

extension UnsignedText {
    fileprivate init(quarantined document: UnsignedDocument, isTrusted: Bool) {
        self =
            switch document {
            case .notificationV1: isTrusted ? .assertedQuarantinedNotification : .quarantinedNotification
            case .verifyReceipt: isTrusted ? .assertedAnswer : .quarantinedAnswer
            case .serverAPI: .quarantinedAnswer
            }
    }
}

/// The part of a text without a signature that counts.
package enum UnsignedReading: Sendable {
    /// Its signed parts.
    case partsOnly
    /// The whole, if a password proves it; else its signed parts.
    case authenticated
    /// The whole, because an operator vouches for it.
    case trusted
}

/// Reads artifacts according to the extension of their file: `.json` contains a notification body or an answer of Apple's,
/// `.jws` and `.txt` one JWS, `.b64` and `.der` one receipt, `.ndjson` and `.jsonl` one artifact per line.
package enum ArtifactFile {
    /// The maximum size of an artifact in bytes: of a line in an archive, else of the file. Larger ones are refused.
    package static let byteLimit = 8 * 1_024 * 1_024

    package static func isArchive(_ path: String) -> Bool {
        path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl")
    }

    /// Returns the artifacts of a whole file: one, or each signed part of an answer, named `FILE#PATH`. A file with any
    /// other extension is read like one line of an archive.
    /// - Parameter unsigned: what counts of a text that is not signed as a whole.
    package static func artifacts(in bytes: [UInt8], file: String, unsigned: UnsignedReading = .authenticated)
        -> [FoundArtifact]
    {
        let kind: ArtifactKind? = file.hasSuffix(".b64") || file.hasSuffix(".der") ? .receipt : nil
        guard kind == nil, !file.hasSuffix(".jws"), !file.hasSuffix(".txt") else {
            return [FoundArtifact(file: file, content: .success(FoundArtifact.Content(artifact: bytes, kind: kind)))]
        }
        return artifacts(of: bytes, named: file, unsigned)
    }

    /// Returns the artifacts of one line of an archive: a notification body, a JWS or a receipt with or without quotes, or
    /// an answer.
    package static func artifacts(
        inLine line: [UInt8], file: String, number: Int, unsigned: UnsignedReading = .authenticated
    ) -> [FoundArtifact] {
        artifacts(of: line, named: "\(file):\(number)", unsigned)
    }

    private static func artifacts(of bytes: [UInt8], named name: String, _ unsigned: UnsignedReading) -> [FoundArtifact]
    {
        guard bytes.count <= byteLimit else {
            return [
                FoundArtifact(
                    file: name,
                    content: .failure(
                        Refusal(
                            .payloadTooLarge, "artifact too large", expected: "at most \(byteLimit) bytes",
                            found: "more")))
            ]
        }
        guard let first = bytes.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") || first == UInt8(ascii: "\"")
        else {
            return [FoundArtifact(file: name, content: .success(FoundArtifact.Content(artifact: bytes, kind: nil)))]
        }
        do throws(JSONError) {
            let document = try JSONDocument(parsing: bytes)
            if unsigned == .trusted, let content = assertedContent(of: document) {
                return [FoundArtifact(file: name, content: .success(content))]
            }
            guard let text = UnsignedDocument(document), unsigned == .partsOnly || !text.isNotification else {
                return [FoundArtifact(file: name, content: content(of: document.root))]
            }
            return parts(of: text, named: name)
        } catch {
            return [FoundArtifact(file: name, content: .failure(Refusal(json: error)))]
        }
    }

    /// Returns the answer or notification without a signature as a whole in a text; nil when it is none.
    package static func unsignedDocument(in bytes: [UInt8]) -> UnsignedDocument? {
        guard bytes.count <= byteLimit, bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
        return (try? JSONDocument(parsing: bytes)).flatMap(UnsignedDocument.init)
    }

    private static func content(of body: JSONView) -> Result<FoundArtifact.Content, Refusal> {
        if let jws = body.string { return .success(FoundArtifact.Content(artifact: Array(jws.utf8), kind: nil)) }
        return NotificationBody.content(of: body).mapError { _ in
            Refusal(
                .kindUnknown, "neither a notification nor an answer of Apple's",
                expected: """
                    {"signedPayload": …}, notification_type of version 1, an answer of the App Store Server API, or one \
                    of verifyReceipt with its status
                    """, found: "other JSON")
        }
    }

    /// Returns what an operator vouches for as a whole; nil for anything that only its signatures prove.
    private static func assertedContent(of document: JSONDocument) -> FoundArtifact.Content? {
        switch UnsignedDocument(document) {
        case .verifyReceipt: FoundArtifact.Content(artifact: document.bytes, unsigned: .assertedAnswer)
        case .notificationV1: FoundArtifact.Content(artifact: document.bytes, unsigned: .assertedNotification)
        case .serverAPI, nil: nil
        }
    }

    /// Nothing proves that the unsigned words of a file are Apple's, so only the signed parts are artifacts.
    private static func parts(of answer: UnsignedDocument, named name: String) -> [FoundArtifact] {
        let parts = answer.signedParts
        guard !parts.isEmpty else {
            // A notification has another proof than a signature.
            guard !answer.isNotification else { return [] }
            let refusal = Refusal.unproven("the answer of \(answer.origin) has no signed part", answer, found: "none")
            return [FoundArtifact(file: name, content: .failure(refusal))]
        }
        return parts.map { part in
            FoundArtifact(
                file: "\(name)#\(part.path)",
                content: .success(FoundArtifact.Content(artifact: part.text, kind: part.kind)))
        }
    }
}

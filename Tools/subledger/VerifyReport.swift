import AppStoreModel
import AppStoreVerification
import Ingestion
import Primitives

/// Prints one line per artifact: JSON for programs, columns for people.
struct VerifyReport {
    let format: OutputFormat

    func line(for file: String, _ artifact: SignedArtifact) {
        switch format {
        case .json: print(Self.json(file, artifact).serialized())
        case .table: print(Self.text(file, artifact))
        }
    }

    /// Prints an answer, which is not signed as a whole. Its signed parts follow.
    func line(for answer: UnsignedDocument, in file: String) {
        let kind: KindOption =
            switch answer {
            case .serverAPI: .serverAPI
            case .verifyReceipt: .verifyReceipt
            case .notificationV1: .notificationV1
            }
        switch format {
        case .json:
            let line = JSONValue.object([
                "file": .string(file), "kind": .string(kind.rawValue), "ok": .bool(true),
                "authenticated": .bool(false), "payload": answer.shownPayload,
            ])
            print(line.serialized())
        case .table:
            print("unsigned \(kind.rawValue)  \(file)  \(Self.text(of: answer))")
        }
    }

    private static func text(of answer: UnsignedDocument) -> String {
        switch answer {
        case .serverAPI(let answer): "\(answer.parts.count) signed parts"
        case .verifyReceipt(let answer):
            "status \(answer.status)  \(answer.latest.count) latest and \(answer.inApp.count) in-app purchases"
                + (answer.unreadable == 0 ? "" : ", \(answer.unreadable) unreadable")
        case .notificationV1(let notification):
            "\(notification.notificationType)  \(notification.bundleId ?? "-")  "
                + "\(notification.environment?.rawValue ?? "-")  \(notification.originalTransactionId ?? "-")  "
                + "\(notification.rows.count) purchases"
                + (notification.unreadable == 0 ? "" : ", \(notification.unreadable) unreadable")
        }
    }

    /// - Parameter kind: the kind that was requested or claimed; nil when it is unknown.
    func line(for file: String, kind: ArtifactKind?, _ refusal: Refusal) {
        switch format {
        case .json: print(Self.json(file, kind, refusal).serialized())
        case .table: print(Self.text(file, kind, refusal))
        }
    }

    private func print(_ line: String) {
        Terminal.standardOutput.write(line + "\n")
    }
}

extension VerifyReport {
    private static func json(_ file: String, _ artifact: SignedArtifact) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("file", .string(file)), .init("kind", .string(artifact.kind.rawValue)), .init("ok", .bool(true)),
        ]
        if let jws = artifact.jws { members.append(.init("payload", .verbatim(jws.payload.bytes))) }
        if case .receipt(let verified) = artifact {
            members.append(.init("payload", verified.receipt.payload.json))
            if let version = verified.otherApplicationVersion {
                members.append(.init("warnings", .array([.string("application_version is \(version)")])))
            }
        }
        if case .notification(let notification) = artifact {
            if let nested = notification.transaction {
                members.append(.init("transaction", .verbatim(nested.jws.payload.bytes)))
            }
            if let nested = notification.renewalInfo {
                members.append(.init("renewalInfo", .verbatim(nested.jws.payload.bytes)))
            }
        }
        members.append(.init("verifiedAt", JSONValue(artifact.proof.verifiedAt)))
        if !artifact.proof.hasSigningTime { members.append(.init("signingTime", .null)) }
        return .object(members)
    }

    private static func text(_ file: String, _ artifact: SignedArtifact) -> String {
        let proof = artifact.proof
        let time =
            proof.hasSigningTime ? "signed \(proof.verifiedAt)" : "no signing time, verified at \(proof.verifiedAt)"
        return (["ok       \(artifact.kind.rawValue)", file, time] + artifact.whatItIsAbout).joined(separator: "  ")
    }

    /// - Parameter more: members to append.
    static func json(
        _ file: String, _ kind: ArtifactKind?, _ refusal: Refusal, and more: [JSONValue.Member] = []
    ) -> JSONValue {
        .object(
            [
                .init("file", .string(file)), .init("kind", JSONValue(kind?.rawValue)), .init("ok", .bool(false)),
                .init("code", .string(refusal.code.rawValue)), .init("reason", .string(refusal.reason)),
                .init("expected", JSONValue(refusal.expected)), .init("found", JSONValue(refusal.found)),
                .init("hint", JSONValue(Self.hint(for: refusal))), .init("part", JSONValue(refusal.part)),
            ] + more)
    }

    static func text(_ file: String, _ kind: ArtifactKind?, _ refusal: Refusal) -> String {
        var text = "refused  \(kind?.rawValue ?? "-")  \(file)  \(refusal.code): \(refusal.reason)"
        if let part = refusal.part { text += " (in \(part))" }
        if let expected = refusal.expected { text += "; expected \(expected)" }
        if let found = refusal.found { text += ", found \(found)" }
        if let hint = hint(for: refusal) { text += ". \(hint)" }
        return text
    }

    private static func hint(for refusal: Refusal) -> String? {
        refusal.hint ?? (refusal.code == .chainUntrusted ? TrustOptions.rootHint : nil)
    }
}

extension SignedArtifact {
    /// The type, the app, the environment and the originalTransactionId of the artifact, as far as it states them.
    fileprivate var whatItIsAbout: [String] {
        let parts: [String?] =
            switch self {
            case .notification(let notification):
                Self.parts(notification.outer.payload.payload, notification.transaction?.payload.payload)
            case .transaction(let signed):
                [
                    signed.payload.payload.bundleId, signed.payload.payload.environment?.rawValue,
                    signed.payload.payload.originalTransactionId,
                ]
            case .renewalInfo(let signed):
                [signed.payload.payload.environment?.rawValue, signed.payload.payload.originalTransactionId]
            case .appTransaction(let signed, _):
                [signed.payload.payload.bundleId, signed.payload.payload.receiptType?.rawValue]
            case .receipt(let verified):
                [
                    verified.receipt.payload.bundleId, verified.receipt.payload.receiptType,
                    "\(verified.receipt.payload.inApp.count) purchases",
                    verified.otherApplicationVersion.map { "warning: of version \($0) of the app" },
                ]
            }
        return parts.compactMap(\.self)
    }

    private static func parts(_ notification: Notification, _ transaction: Transaction?) -> [String?] {
        let name = [notification.notificationType?.rawValue, notification.subtype?.rawValue].compactMap(\.self)
        return [
            name.joined(separator: "/"), notification.bundleId, notification.environment?.rawValue,
            transaction?.originalTransactionId,
        ]
    }
}

extension UnsignedDocument {
    /// The JSON, without the password of a notification.
    fileprivate var shownPayload: JSONValue {
        guard case .notificationV1 = self else { return JSONValue(root) }
        return .object(root.members.filter { $0.key != "password" }.map { .init($0.key, JSONValue($0.value)) })
    }
}

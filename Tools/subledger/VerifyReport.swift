import AppStoreVerification
import Primitives

/// A line an artifact: JSON for programs, columns for people.
struct VerifyReport {
    let format: OutputFormat

    func line(for file: String, kind: ArtifactKind?, _ result: Result<SignedArtifact, Refusal>) {
        let line =
            switch format {
            case .json: Self.json(file, kind, result).serialized()
            case .table: Self.text(file, kind, result)
            }
        Terminal.standardOutput.write(line + "\n")
    }

    static func json(_ file: String, _ kind: ArtifactKind?, _ result: Result<SignedArtifact, Refusal>) -> JSONValue {
        switch result {
        case .success(let artifact):
            var members: [JSONValue.Member] = [
                .init("file", .string(file)), .init("kind", .string(artifact.kind.rawValue)), .init("ok", .bool(true)),
                .init("payload", .verbatim(artifact.jws.payload.bytes)),
            ]
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
        case .failure(let refusal):
            return .object([
                "file": .string(file), "kind": JSONValue(kind?.rawValue), "ok": .bool(false),
                "code": .string(refusal.code.rawValue), "reason": .string(refusal.reason),
                "expected": JSONValue(refusal.expected), "found": JSONValue(refusal.found),
                "part": JSONValue(refusal.part),
            ])
        }
    }

    static func text(_ file: String, _ kind: ArtifactKind?, _ result: Result<SignedArtifact, Refusal>) -> String {
        switch result {
        case .success(let artifact):
            let proof = artifact.proof
            let time =
                proof.hasSigningTime ? "signed \(proof.verifiedAt)" : "no signing time, checked at \(proof.verifiedAt)"
            return "ok       \(artifact.kind.rawValue)  \(file)  \(time)"
        case .failure(let refusal):
            var text = "refused  \(kind?.rawValue ?? "-")  \(file)  \(refusal.code): \(refusal.reason)"
            if let part = refusal.part { text += " (in \(part))" }
            if let expected = refusal.expected { text += "; expected \(expected)" }
            if let found = refusal.found { text += ", found \(found)" }
            return text
        }
    }
}

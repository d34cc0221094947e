import AppStoreVerification
package import Ingestion
package import LedgerStorage
package import Primitives

extension FoundArtifact {
    package var json: JSONValue {
        var members: [JSONValue.Member] = [.init("file", .string(file)), .init("source", .string(source.name))]
        switch content {
        case .success(let content):
            members += [
                .init("kind", JSONValue(content.kind?.rawValue)),
                .init("unsigned", JSONValue(content.unsigned?.rawValue)),
                .init("jws", .string(Base64.encode(content.artifact))),
            ]
        case .failure(let refusal): members.append(.init("refusal", refusal.json))
        }
        return .object(members)
    }

    /// - Throws: `version_unknown`.
    package init(_ json: JSONView) throws(StorageError) {
        guard let file = json["file"]?.string, let source = (json["source"]?.string).flatMap(EventSource.init(name:))
        else { throw .handoverMalformed }
        if let refusal = json["refusal"] {
            self.init(file: file, source: source, content: .failure(try Refusal(refusal)))
        } else {
            guard let jws = (json["jws"]?.string).flatMap(Base64.decode) else { throw .handoverMalformed }
            let kind = (json["kind"]?.string).flatMap(ArtifactKind.init(rawValue:))
            let content =
                (json["unsigned"]?.string).flatMap(UnsignedText.init).map { Content(artifact: jws, unsigned: $0) }
                ?? Content(artifact: jws, kind: kind)
            self.init(file: file, source: source, content: .success(content))
        }
    }
}

extension Refusal {
    var json: JSONValue {
        .object([
            "code": .string(code.rawValue), "reason": .string(reason), "expected": JSONValue(expected),
            "found": JSONValue(found), "hint": JSONValue(hint), "part": JSONValue(part),
        ])
    }

    init(_ json: JSONView) throws(StorageError) {
        guard let code = json["code"]?.string, let reason = json["reason"]?.string else { throw .handoverMalformed }
        self.init(
            RefusalCode(rawValue: code), reason, expected: json["expected"]?.string, found: json["found"]?.string,
            hint: json["hint"]?.string, part: json["part"]?.string)
    }
}

import AppStoreVerification
import LedgerAPI
package import LedgerStorage
package import Primitives

extension IngestPipeline.Result {
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("file", .string(file)), .init("bytes", JSONValue(byteCount)),
            .init("kind", JSONValue(kind?.rawValue)), .init("linkable", .bool(isLinkable)),
            .init("linkRefusal", linkRefusal?.json ?? .null),
        ]
        switch outcome {
        case .appended(let result):
            members += [
                .init("position", JSONValue(position: result.position)), .init("duplicate", .bool(result.isDuplicate)),
                .init("appended", .bool(result.isAppended)),
            ]
        case .refused(let refusal, let quarantined):
            members += [.init("refusal", refusal.json), .init("quarantined", .bool(quarantined))]
        case .kept(let refusal): members += [.init("refusal", refusal.json), .init("kept", .bool(true))]
        }
        return .object(members)
    }

    /// - Throws: `version_unknown`.
    package init(_ json: JSONView) throws(StorageError) {
        guard let file = json["file"]?.string, let bytes = json["bytes"]?.integer,
            let isLinkable = json["linkable"]?.bool
        else { throw .handoverMalformed }
        var linkRefusal: Refusal?
        if let refusal = json["linkRefusal"], !refusal.isNull { linkRefusal = try Refusal(refusal) }
        self.init(
            file: file, byteCount: Int(bytes), kind: (json["kind"]?.string).flatMap(ArtifactKind.init(rawValue:)),
            outcome: try IngestOutcome(json), linkRefusal: linkRefusal, isLinkable: isLinkable)
    }
}

extension IngestOutcome {
    fileprivate init(_ json: JSONView) throws(StorageError) {
        if let refusal = json["refusal"], let quarantined = json["quarantined"]?.bool {
            self = .refused(try Refusal(refusal), quarantined: quarantined)
        } else if let refusal = json["refusal"], json["kept"]?.bool == true {
            self = .kept(try Refusal(refusal))
        } else {
            guard let position = json["position"]?.integer, let isDuplicate = json["duplicate"]?.bool,
                let isAppended = json["appended"]?.bool
            else { throw .handoverMalformed }
            self = .appended(
                AppendResult(position: UInt64(position), isDuplicate: isDuplicate, isAppended: isAppended))
        }
    }
}

package import Primitives

extension AuditFinding: JSONRepresentable {
    /// The code that tells damage from a root that is only missing here.
    package var code: String {
        switch self {
        case .event, .structure: "log_corrupt"
        case .derived: "derived_differs"
        case .rootNeeded: "root_needed"
        }
    }

    /// A sentence for people.
    package var what: String {
        switch self {
        case .event(_, let what), .structure(let what), .derived(let what): what
        case .rootNeeded(_, let roots):
            "\(roots) \(roots == 1 ? "root of yours is" : "roots of yours are") needed: --trust-root"
        }
    }

    package var json: JSONValue {
        switch self {
        case .event(let position, _), .rootNeeded(let position, _):
            .object(["position": JSONValue(position: position), "what": .string(what), "code": .string(code)])
        case .structure, .derived: .object(["structure": .string(what), "code": .string(code)])
        }
    }
}

extension AuditReport {
    /// The members of the answer. `init(json:)` reads them.
    package var members: [JSONValue.Member] {
        [
            .init("ok", .bool(firstBad == nil)), .init("events", JSONValue(position: events)),
            .init("signatures", JSONValue(position: signatures)), .init("anchors", JSONValue(position: anchors)),
            .init("erased", JSONValue(position: erased)),
            .init("firstBad", firstBad?.json ?? .null), .init("size", JSONValue(position: size)),
            .init("root", root.map { .string($0.hex) } ?? .null), .init("counts", counts?.json ?? .null),
            .init("roots", .array(neededRoots.map(\.json))), .init("derived", .array(derived.map(\.json))),
        ]
    }

    /// Reads an answer; absent members keep their initial values.
    package init(json: JSONView) {
        self.init()
        size = json.count("size")
        root = json["root"]?.string.flatMap(Digest.init(hex:))
        events = json.count("events")
        signatures = json.count("signatures")
        anchors = json.count("anchors")
        erased = json.count("erased")
        counts = json["counts"].flatMap { $0.isObject ? Counts(json: $0) : nil }
        neededRoots = (json["roots"]?.elements ?? []).compactMap(NeededRoot.init(json:))
        derived = (json["derived"]?.elements ?? []).compactMap(DerivedPart.init(json:))
        firstBad = json["firstBad"].flatMap { finding(json: $0) }
    }

    private func finding(json: JSONView) -> AuditFinding? {
        let code = json["code"]?.string
        if let what = json["structure"]?.string {
            return code == "derived_differs" ? .derived(what: what) : .structure(what: what)
        }
        guard json["position"]?.integer != nil else { return nil }
        let position = json.count("position")
        return code == "root_needed"
            ? .rootNeeded(position: position, roots: neededRoots.count)
            : .event(position: position, what: json["what"]?.string ?? "")
    }
}

extension AuditReport.Counts {
    /// The classes with their counts.
    package var classes: [(name: String, count: UInt64)] {
        [
            ("signed", signed), ("fetched", fetched), ("sharedSecret", sharedSecret), ("asserted", asserted),
            ("own", own),
        ]
    }

    fileprivate var json: JSONValue {
        .object(
            (classes + [("configuredRoot", configuredRoot)]).map { .init($0.0, JSONValue(position: $0.1)) })
    }

    fileprivate init(json: JSONView) {
        self.init(
            signed: json.count("signed"), fetched: json.count("fetched"), sharedSecret: json.count("sharedSecret"),
            asserted: json.count("asserted"), own: json.count("own"), configuredRoot: json.count("configuredRoot"))
    }
}

extension AuditReport.NeededRoot {
    fileprivate var json: JSONValue {
        .object([
            "sha256": .string(sha256.hex), "subject": subject.map { .string($0) } ?? .null,
            "artifacts": JSONValue(position: artifacts), "position": JSONValue(position: position),
        ])
    }

    fileprivate init?(json: JSONView) {
        guard let sha256 = json["sha256"]?.string.flatMap(Digest.init(hex:)) else { return nil }
        self.init(
            sha256: sha256, subject: json["subject"]?.string, artifacts: json.count("artifacts"),
            position: json.count("position"))
    }
}

extension AuditReport.DerivedPart {
    fileprivate var json: JSONValue {
        .object([
            "part": .string(part), "compared": JSONValue(position: compared), "unit": .string(unit),
            "behind": JSONValue(position: behind), "note": note.map { .string($0) } ?? .null,
        ])
    }

    fileprivate init?(json: JSONView) {
        guard let part = json["part"]?.string, let unit = json["unit"]?.string else { return nil }
        self.init(
            part, compared: json.count("compared"), unit: unit, behind: json.count("behind"), note: json["note"]?.string
        )
    }
}

extension JSONView {
    /// The count in a member; 0 when there is none.
    fileprivate func count(_ member: StaticString) -> UInt64 { UInt64(clamping: self[member]?.integer ?? 0) }
}

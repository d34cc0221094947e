import EventLog
import LedgerAPI
import LedgerModel
import Primitives

/// A line of `index.ndjson`: an event of a bundle.
struct BundleEntry {
    /// The reason that an event is in a bundle.
    enum Role: String, CaseIterable {
        case answer, link, rules, catalog, rates, close, erasure

        var reason: String {
            switch self {
            case .answer: "a statement about a subject of the question"
            case .link: "joins purchases and customers"
            case .rules: "the rules of the answer"
            case .catalog: "the products of an app"
            case .rates: "exchange rates"
            case .close: "the closed numbers"
            case .erasure: "says what was erased, and keeps its facts"
            }
        }

        /// The role of an event by its kind.
        init(_ kind: EventKind) {
            switch kind {
            case .customerLinked, .customersMerged, .linkRefused, .subscriptionTransferred, .entitlementGranted,
                .customersUnmerged, .consentRecorded, .tokenMapped:
                self = .link
            case .customerErased: self = .erasure
            case .catalogChanged: self = .catalog
            case .rulesActivated: self = .rules
            case .ratesChanged: self = .rates
            case .numbersClosed: self = .close
            default: self = .answer
            }
        }
    }

    enum State: String {
        /// The evidence is there.
        case present
        /// The event has no evidence.
        case none
        /// The ledger has the evidence no longer.
        case erased
        /// The evidence also concerns others; the parts about the subjects are there.
        case withheld
    }

    let position: Position
    let kind: String
    let trust: String
    let role: Role
    let state: State
    /// The path of the evidence; nil unless it is present.
    let evidence: String?

    init(_ record: Record, _ state: State) {
        position = record.position
        (kind, trust) = (record.kind.name, record.trust.name)
        role = Role(record.kind)
        self.state = state
        evidence = state == .present ? BundlePath.evidence(record.position, record.evidenceExtension) : nil
    }

    var json: JSONValue {
        .object([
            "position": JSONValue(position: position), "kind": .string(kind), "trust": .string(trust),
            "roles": .array([.string(role.rawValue)]), "evidence": JSONValue(evidence),
            "state": .string(state.rawValue), "because": .string(role.reason),
        ])
    }

    /// Reads the position and the state of a line; nil for another form.
    static func position(_ line: ArraySlice<UInt8>) -> (position: Position, state: State)? {
        guard let json = try? JSONDocument(parsing: Array(line)).root, let position = json["position"]?.integer,
            position >= 0, let state = json["state"]?.string.flatMap(State.init(rawValue:))
        else { return nil }
        return (Position(position), state)
    }
}

/// The paths of the files of a bundle.
enum BundlePath {
    static let sums = "SHA256SUMS"
    static let sumsNote = "SHA256SUMS.note"
    static let checkpoint = "checkpoint"
    static let index = "index.ndjson"
    static let description = "bundle.json"
    static let readme = "README.md"
    static let answer = "answer/answer.json"
    static let rules = "answer/rules.json"
    static let zone = "answer/zone.json"
    static let members = "answer/members.ndjson"
    static let given = "answer/given.json"

    static func record(_ position: Position) -> String { "records/\(position).bin" }
    static func proof(_ position: Position) -> String { "proofs/\(position).tlog-proof" }
    static func evidence(_ position: Position, _ ext: String) -> String { "evidence/\(position).\(ext)" }
    /// The page without the parts that concern others, for events whose evidence is withheld.
    static func page(_ position: Position) -> String { "evidence/\(position)-0.json" }
    static func part(_ position: Position, _ number: Int) -> String { "evidence/\(position)-\(number).jws" }
    static func certificate(_ fingerprint: Digest) -> String { "certificates/\(fingerprint.hex).pem" }
    static func anchor(_ size: UInt64, _ ext: String) -> String { "anchors/\(size).\(ext)" }
    static func consistency(_ old: UInt64, _ new: UInt64) -> String { "anchors/\(old)-\(new).consistency" }
    static let tsaRoot = "anchors/tsa-root.pem"
    static let tsaChain = "anchors/tsa-chain.pem"
}

extension Record {
    /// The extension of the name of the evidence's file.
    var evidenceExtension: String {
        switch artifact {
        case .notificationV2, .transaction, .renewalInfo, .appTransaction: "jws"
        case .receipt: "der"
        case .receiptIOS6: "plist"
        case .yaml: "yaml"
        case .closeCells, ArtifactCode(rawValue: 11): "ndjson"
        default: "json"
        }
    }
}

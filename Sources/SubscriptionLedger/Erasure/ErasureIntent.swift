import LedgerModel
import LedgerStorage
import Primitives

/// An erasure that has begun, in `data/erasure.json` until it is complete. The ledger completes it at the next opening for
/// writing if a crash interrupts it. Until then the file has what is forgotten.
struct ErasureIntent: Hashable {
    /// The positions of the events customerErased. If the log lacks them, the erasure has not begun.
    let events: Range<Position>
    let withEvidence: Bool
    let handles: Set<CustomerHandle>
    let ids: Set<String>
    let tokens: Set<AppAccountToken>

    private static let byteLimit = 64 << 20

    private static let name = "erasure.json"

    private static func path(in folder: DataFolder) -> String { "\(folder.path)/\(name)" }

    func store(in folder: DataFolder) throws(StorageError) {
        func list(_ texts: some Sequence<String>) -> JSONValue { .array(texts.sorted().map { .string($0) }) }
        let json = JSONValue.object([
            "from": JSONValue(Int(events.lowerBound)), "to": JSONValue(Int(events.upperBound)),
            "withEvidence": .bool(withEvidence), "handles": list(handles.map(\.hex)), "ids": list(ids),
            "tokens": list(tokens.map(\.text)),
        ])
        try AtomicFile.write(Array(json.serialized().utf8), to: Self.path(in: folder))
    }

    /// Returns the erasure that has begun in a folder; nil when there is none.
    /// - Throws: `io_error`; `log_corrupt` for another file.
    static func stored(in folder: DataFolder) throws(StorageError) -> ErasureIntent? {
        guard let bytes = try AtomicFile.read(path(in: folder), limit: byteLimit) else { return nil }
        guard let json = try? JSONDocument(parsing: bytes).root, let intent = ErasureIntent(json) else {
            throw StorageError(
                .logCorrupt, "\(path(in: folder)) cannot be read", expected: "an erasure", found: "other text")
        }
        return intent
    }

    private init?(_ json: JSONView) {
        func texts(_ name: StaticString) -> [String] { (json[name]?.elements ?? []).compactMap(\.string) }
        guard let from = json["from"]?.integer, let to = json["to"]?.integer, from >= 0, from < to,
            let withEvidence = json["withEvidence"]?.bool
        else { return nil }
        self.init(
            events: Position(from)..<Position(to), withEvidence: withEvidence,
            handles: Set(texts("handles").compactMap { CustomerHandle(hex: $0) }), ids: Set(texts("ids")),
            tokens: Set(texts("tokens").compactMap { AppAccountToken($0) }))
    }

    init(
        events: Range<Position>, withEvidence: Bool, handles: Set<CustomerHandle>, ids: Set<String>,
        tokens: Set<AppAccountToken>
    ) {
        (self.events, self.withEvidence) = (events, withEvidence)
        (self.handles, self.ids, self.tokens) = (handles, ids, tokens)
    }

    static func remove(from folder: DataFolder) throws(StorageError) {
        try Folder(folder.path).removeFile(name)
    }
}

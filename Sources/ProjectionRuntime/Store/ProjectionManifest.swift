import FactStore
package import LedgerModel
import LedgerStorage
package import Primitives

/// The description of a stored projection: its inputs and its content. Stored as `manifest.json`.
package struct ProjectionManifest: Hashable, Sendable {
    package let projection: String
    /// The versions of the code.
    package let versions: Versions
    package let rules: Rules
    /// The digest under which the projection was built, also when a later version adds keys to the rules.
    package let rulesDigest: Digest
    /// The number of events.
    package let knownAt: Position
    /// The root of the log's tree at `knownAt`, by which an update recognises the log.
    package let logRoot: Digest
    package let asOf: Instant
    package let columns: [ColumnSchema]
    package let content: Content

    /// The versions of the code on which rows depend.
    package struct Versions: Hashable, Sendable {
        package let projection: Int64
        /// The layout of the facts. A new one also stands for a change in the decoding of evidence.
        package let facts: Int64

        package init<Definition: Projection>(of projection: Definition.Type) {
            self.init(projection: projection.version, facts: Int64(FactIndex.layout))
        }

        fileprivate init(projection: Int64, facts: Int64) {
            self.projection = projection
            self.facts = facts
        }
    }

    /// The content of the rows file.
    package struct Content: Hashable, Sendable {
        /// The number of keys, also of those without a row.
        package internal(set) var keys = 0
        package internal(set) var rows = 0
        package internal(set) var bytes = 0
        package internal(set) var sha256 = Digest.zero
    }

    init<Definition: Projection>(
        of projection: Definition.Type, _ rules: Rules, knownAt: Position, logRoot: Digest, asOf: Instant,
        _ content: Content
    ) {
        self.projection = projection.name
        versions = Versions(of: projection)
        self.rules = rules
        rulesDigest = rules.digest
        self.knownAt = knownAt
        self.logRoot = logRoot
        self.asOf = asOf
        columns = projection.columns.map(\.schema)
        self.content = content
    }

    /// The name of the rows file. Different contents have different names.
    var fileName: String { "rows-\(content.sha256.hex)" }
}

extension ProjectionManifest {
    private static let schema: Int64 = 2

    var json: JSONValue {
        .object([
            "schema": .integer(Self.schema), "projection": .string(projection),
            "version": .integer(versions.projection),
            "facts": .integer(versions.facts), "rules": rules.json, "rulesDigest": .string(rulesDigest.hex),
            "knownAt": .integer(Int64(clamping: knownAt)),
            "logRoot": .string(logRoot.hex), "asOf": .integer(asOf.milliseconds), "keys": .integer(Int64(content.keys)),
            "rows": .integer(Int64(content.rows)), "bytes": .integer(Int64(content.bytes)),
            "sha256": .string(content.sha256.hex),
            "columns": .array(
                columns.map { .object(["name": .string($0.name), "type": .string($0.type.rawValue)]) }),
        ])
    }

    /// Creates a manifest from its JSON form.
    /// - Returns: nil for a form that this version does not write.
    init?(json bytes: [UInt8]) {
        guard let root = try? JSONDocument(parsing: bytes).root, root["schema"]?.integer == Self.schema,
            let projection = root["projection"]?.string, let version = root["version"]?.integer,
            let facts = root["facts"]?.integer,
            let rules = root["rules"].flatMap(Rules.init(json:)),
            let rulesDigest = root["rulesDigest"]?.string.flatMap(Digest.init(hex:)),
            let knownAt = root["knownAt"]?.integer.flatMap(Position.init(exactly:)),
            let logRoot = root["logRoot"]?.string.flatMap(Digest.init(hex:)),
            let asOf = root["asOf"]?.integer, let columns = root["columns"]?.elements,
            let content = Content(json: root)
        else { return nil }
        self.projection = projection
        versions = Versions(projection: version, facts: facts)
        self.rules = rules
        self.rulesDigest = rulesDigest
        self.knownAt = knownAt
        self.logRoot = logRoot
        self.asOf = Instant(milliseconds: asOf)
        self.columns = columns.compactMap(ColumnSchema.init(json:))
        self.content = content
        guard self.columns.count == columns.count else { return nil }
    }
}

extension ProjectionManifest.Content {
    fileprivate init?(json root: JSONView) {
        guard let keys = root["keys"]?.integer, let rows = root["rows"]?.integer, let bytes = root["bytes"]?.integer,
            min(keys, rows, bytes) >= 0, let sha256 = root["sha256"]?.string.flatMap(Digest.init(hex:))
        else { return nil }
        self.init(keys: Int(keys), rows: Int(rows), bytes: Int(bytes), sha256: sha256)
    }
}

extension ColumnSchema {
    fileprivate init?(json column: JSONView) {
        guard let name = column["name"]?.string, let type = column["type"]?.string.flatMap(ColumnType.init(rawValue:))
        else { return nil }
        self.init(name: name, type: type)
    }
}

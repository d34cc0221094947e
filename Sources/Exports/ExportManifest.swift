import LedgerAPI
package import Primitives

/// The list of an export's files. It is written last: a folder without it does not exist for a loader.
package struct ExportManifest: Hashable, Sendable {
    package static let fileName = "manifest.json"

    package var plan: ExportPlan
    /// The root of the hash tree over the events of the log.
    package var treeRoot: Digest
    package var tables: [Table]

    package struct Table: Hashable, Sendable {
        package var name: String
        package var schemaVersion: Int64
        package var mode: Mode
        package var key: [String]
        package var upserts: Int64
        package var deletes: Int64
        package var restated: Int64
        /// The number of values that were replaced, because no format holds them.
        package var lossy: Int64
        package var after: Content
        package var files: [File]
    }

    package enum Mode: String, Sendable { case full, delta }

    /// The rows of a table after a load.
    package struct Content: Hashable, Sendable {
        package var rows: Int64
        /// The sum of the digests of the rows.
        package var digestSum: Int128
    }

    package struct File: Hashable, Sendable {
        package enum Kind: String, Sendable { case part, deleted }

        /// Relative to the folder of the export.
        package var path: String
        package var kind: Kind
        package var rows: Int64
        package var bytes: Int64
        package var sha256: Digest
    }
}

extension ExportManifest {
    /// The bytes of `manifest.json`: RFC 8785.
    package var bytes: [UInt8] {
        JSONValue.object(
            plan.members + [
                .init("treeRoot", .string(treeRoot.hex)), .init("tables", .array(tables.map(\.json))),
            ]
        ).canonical()
    }
}

extension ExportManifest.Table {
    /// Returns nil for a text without the members of a table.
    init?(_ json: JSONView) {
        guard let name = json["name"]?.string, let version = json["schemaVersion"]?.integer,
            let mode = json["mode"]?.string.flatMap(ExportManifest.Mode.init),
            let key = json["key"]?.elements, let upserts = json["upserts"]?.integer,
            let deletes = json["deletes"]?.integer, let restated = json["restated"]?.integer,
            let lossy = json["lossy"]?.integer, let rows = json["after"]?["rows"]?.integer,
            let sum = json["after"]?["digestSum"]?.string.flatMap({ Int128($0) }), let files = json["files"]?.elements
        else { return nil }
        self.init(
            name: name, schemaVersion: version, mode: mode, key: key.compactMap(\.string), upserts: upserts,
            deletes: deletes, restated: restated, lossy: lossy,
            after: ExportManifest.Content(rows: rows, digestSum: sum),
            files: files.compactMap { ExportManifest.File($0) })
        guard self.key.count == key.count, self.files.count == files.count else { return nil }
    }

    var json: JSONValue {
        .object([
            "name": .string(name), "schemaVersion": .integer(schemaVersion), "mode": .string(mode.rawValue),
            "key": .array(key.map { .string($0) }), "upserts": .integer(upserts), "deletes": .integer(deletes),
            "restated": .integer(restated), "lossy": .integer(lossy),
            // No double holds a sum exactly, so it is a string.
            "after": .object(["rows": .integer(after.rows), "digestSum": .string(String(after.digestSum))]),
            "files": .array(files.map(\.json)),
        ])
    }
}

extension ExportManifest.File {
    fileprivate init?(_ json: JSONView) {
        guard let path = json["path"]?.string, let kind = json["kind"]?.string.flatMap(Kind.init),
            let rows = json["rows"]?.integer, let bytes = json["bytes"]?.integer,
            let digest = json["sha256"]?.string.flatMap({ Digest(hex: $0) })
        else { return nil }
        self.init(path: path, kind: kind, rows: rows, bytes: bytes, sha256: digest)
    }

    fileprivate var json: JSONValue {
        .object([
            "path": .string(path), "kind": .string(kind.rawValue), "rows": .integer(rows), "bytes": .integer(bytes),
            "sha256": .string(sha256.hex),
        ])
    }
}

import LedgerAPI
package import LedgerStorage
package import Primitives

/// The last completed run of an export on a schedule.
package struct CompletedSlot: Hashable, Sendable {
    /// The instant of the schedule.
    package var slot: Instant
    package var completedAt: Instant
    /// The address of the destination.
    var place: String
    /// The path of the manifest in the destination.
    var manifest: String
    package var manifestPath: String
    var digest: Digest
}

/// The failure of a run.
package struct FailedSlot: Hashable, Sendable {
    package var slot: Instant
    package var failedAt: Instant
    package var code: String
    package var message: String
    /// The number of failures in a row.
    package var attempts: Int64
}

/// The last runs of an export on a schedule, in a file of the data folder.
package struct ScheduleRecord: Hashable, Sendable {
    package var completed: CompletedSlot?
    /// Nil after a success.
    package var failed: FailedSlot?

    init() {}
}

// MARK: The file

extension ScheduleRecord {
    private static let limit = 64 << 10
    private static let schema: Int64 = 1

    private static func path(_ name: String, in folder: DataFolder) -> String { "\(folder.exports)/\(name).json" }

    /// Reads the record of an export. A file that cannot be read counts as none: the next run exports everything.
    package init(of name: String, in folder: DataFolder) {
        self.init()
        guard let bytes = (try? AtomicFile.read(Self.path(name, in: folder), limit: Self.limit)).flatMap({ $0 }),
            let root = try? JSONDocument(parsing: bytes).root, root["schema"]?.integer == Self.schema
        else { return }
        completed = root["completed"].flatMap { CompletedSlot($0) }
        failed = root["failed"].flatMap { FailedSlot($0) }
    }

    /// - Throws: `io_error`, `disk_full`.
    func store(as name: String, in folder: DataFolder) throws(StorageError) {
        try Folder(folder.exports).create()
        let json = JSONValue.object([
            "schema": .integer(Self.schema), "completed": completed?.json ?? .null, "failed": failed?.json ?? .null,
        ])
        try AtomicFile.write(Array(json.serialized().utf8), to: Self.path(name, in: folder))
    }
}

extension CompletedSlot {
    fileprivate init?(_ json: JSONView) {
        guard let slot = json["slot"]?.string.flatMap({ Instant(iso8601: $0) }),
            let completedAt = json["completedAt"]?.string.flatMap({ Instant(iso8601: $0) }),
            let place = json["to"]?.string, let manifest = json["path"]?.string,
            let manifestPath = json["manifest"]?.string,
            let digest = json["sha256"]?.string.flatMap({ Digest(hex: $0) })
        else { return nil }
        self.init(
            slot: slot, completedAt: completedAt, place: place, manifest: manifest, manifestPath: manifestPath,
            digest: digest)
    }

    fileprivate var json: JSONValue {
        .object([
            "slot": JSONValue(slot), "completedAt": JSONValue(completedAt), "to": .string(place),
            "path": .string(manifest), "manifest": .string(manifestPath), "sha256": .string(digest.hex),
        ])
    }
}

extension FailedSlot {
    fileprivate init?(_ json: JSONView) {
        guard let slot = json["slot"]?.string.flatMap({ Instant(iso8601: $0) }),
            let failedAt = json["failedAt"]?.string.flatMap({ Instant(iso8601: $0) }),
            let code = json["code"]?.string, let message = json["message"]?.string,
            let attempts = json["attempts"]?.integer
        else { return nil }
        self.init(slot: slot, failedAt: failedAt, code: code, message: message, attempts: attempts)
    }

    package var json: JSONValue {
        .object([
            "slot": JSONValue(slot), "failedAt": JSONValue(failedAt), "code": .string(code),
            "message": .string(message), "attempts": .integer(attempts),
        ])
    }
}

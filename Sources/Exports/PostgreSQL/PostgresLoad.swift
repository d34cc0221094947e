import LedgerStorage
import PostgreSQL
import Primitives
import TableFiles

/// The load of an export into a database, in one transaction.
///
/// The schema `subledger` has a table for each of the ledger, and the loads in `subledger.load`.
struct PostgresLoad {
    let connection: PostgresConnection

    /// A load in the database.
    struct Loaded {
        /// The name of the export's folder.
        let name: String
        let digest: Digest
        /// The bytes of its manifest.
        let manifest: [UInt8]
    }

    /// Returns a load that a condition finds, the newest first; nil for none.
    /// - Throws: `PostgresError`; `log_corrupt` for a manifest with another digest.
    func newest(where condition: String = "true", _ parameters: [String] = []) throws -> Loaded? {
        guard try exists("load") else { return nil }
        let rows = try connection.execute(
            "SELECT manifest_sha256, manifest, name FROM subledger.load WHERE \(condition) ORDER BY seq DESC LIMIT 1",
            parameters)
        guard let row = rows.first else { return nil }
        let manifest = Array((row[1] ?? "").utf8)
        let digest = Digest.sha256(of: manifest)
        guard digest.hex == row[0] else {
            throw StorageError(
                .logCorrupt, "the newest load of the database cannot be read", expected: "a manifest with its digest",
                found: "another digest", hint: "Drop the schema subledger, and export again.")
        }
        return Loaded(name: row[2] ?? "", digest: digest, manifest: manifest)
    }

    /// Loads the files in a folder, unless the manifest is loaded.
    /// - Returns: whether it was not.
    /// - Throws: `ExportGap` where the base is not the newest load; `LoadFailed`; `PostgresError`; `StorageError`; the
    ///   reason to stop the work. Nothing is loaded then.
    func load(_ manifest: ExportManifest, named name: String, from folder: ExportFolder) throws -> Bool {
        let bytes = manifest.bytes
        let digest = Digest.sha256(of: bytes)
        return try connection.transaction {
            try connection.execute("SELECT pg_advisory_xact_lock(\(Self.lock))")
            try createSchema()
            guard try newest(where: "manifest_sha256 = $1", [digest.hex]) == nil else { return false }
            try requireContinuation(of: manifest.plan.base)
            for table in manifest.tables { try load(table, from: folder) }
            try note(manifest.plan, digest, bytes, name)
            return true
        }
    }

    /// The key of the lock that one load at a time has: the bytes of `subledge`.
    private static let lock: Int64 = 0x7375_626C_6564_6765

    private func requireContinuation(of base: ExportPlan.Base?) throws {
        guard let base else { return }
        let newest = try newest()
        guard newest?.digest == base.manifest else {
            throw ExportGap(
                "the base is not the newest load of the database", expected: newest?.digest.hex ?? "no base",
                found: base.manifest.hex)
        }
    }

    private func note(_ plan: ExportPlan, _ digest: Digest, _ manifest: [UInt8], _ name: String) throws {
        try connection.execute(
            """
            INSERT INTO subledger.load
            (name, manifest_sha256, base_sha256, range_from, range_to, as_of, rules_digest, loaded_at, manifest)
            VALUES ($1, $2, $3, $4, $5, \(ColumnType.instant.postgresValue(of: "$6::text")), $7, now(), $8)
            """,
            [
                name, digest.hex, plan.base?.manifest.hex, "\(plan.range.lowerBound)", "\(plan.range.upperBound)",
                plan.asOf.iso8601, plan.rulesDigest.hex, String(decoding: manifest, as: UTF8.self),
            ])
    }
}

// MARK: Tables

extension PostgresLoad {
    private func load(_ table: ExportManifest.Table, from folder: ExportFolder) throws {
        guard let schema = ExportTable.all.first(where: { $0.name == table.name })?.schema,
            Int64(schema.version) == table.schemaVersion
        else { throw LoadFailed.versionUnknown(table.name, found: table.schemaVersion) }
        let target = PostgresTable(schema: schema)
        try migrate(target, isEmptied: table.mode == .full)
        if table.mode == .full { try connection.execute(target.deleteAll) }
        // Rows are deleted before others with their keys are inserted.
        for kind in [ExportManifest.File.Kind.deleted, .part] {
            try apply(table.files.filter { $0.kind == kind }, target.staging(kind), from: folder)
        }
        let content = try connection.execute(target.content).first ?? []
        let loaded = content.compactMap { $0.flatMap { Int128($0) } }
        guard loaded == [Int128(table.after.rows), table.after.digestSum] else {
            throw LoadFailed.otherContent(table, found: loaded)
        }
    }

    private func apply(
        _ files: [ExportManifest.File], _ staging: PostgresTable.Staging, from folder: ExportFolder
    ) throws {
        guard files.contains(where: { $0.rows > 0 }) else { return }
        try connection.execute(staging.create)
        for file in files {
            var chunks = folder.chunks(of: file).makeIterator()
            try connection.copy(staging.copy) {
                try WorkLimit.check()
                return try chunks.next().map { try folder.bytes(of: file.path, in: $0) }
            }
        }
        try connection.execute(staging.analyze)
        try connection.execute(staging.apply)
        try connection.execute(staging.drop)
    }

    /// Creates the table, also in place of one with the columns of an earlier version.
    /// - Parameter isEmptied: whether the load has all rows of the table.
    private func migrate(_ table: PostgresTable, isEmptied: Bool) throws {
        let rows = try connection.execute(
            "SELECT schema_version FROM subledger.table_version WHERE name = $1", [table.schema.name])
        let version = rows.first?.first?.flatMap { Int64($0) }
        if let version, version > table.schema.version {
            throw LoadFailed.versionUnknown(table.schema.name, found: version)
        }
        guard version != Int64(table.schema.version) else { return }
        guard isEmptied else { throw LoadFailed.versionUnknown(table.schema.name, found: version ?? 0) }
        try connection.execute(table.drop)
        try connection.execute(table.create)
        try connection.execute(
            """
            INSERT INTO subledger.table_version (name, schema_version) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET schema_version = EXCLUDED.schema_version
            """, [table.schema.name, "\(table.schema.version)"])
    }
}

// MARK: The schema

extension PostgresLoad {
    private static let tables = [
        "load": """
        CREATE TABLE subledger.load (
            seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE,
            manifest_sha256 text COLLATE "C" NOT NULL UNIQUE, base_sha256 text COLLATE "C" UNIQUE,
            range_from bigint NOT NULL, range_to bigint NOT NULL, as_of timestamptz(3) NOT NULL,
            rules_digest text COLLATE "C" NOT NULL, loaded_at timestamptz(3) NOT NULL, manifest text NOT NULL)
        """,
        "table_version": """
        CREATE TABLE subledger.table_version (name text COLLATE "C" PRIMARY KEY, schema_version bigint NOT NULL)
        """,
    ]

    /// Creates what is missing, so that a user who may not create schemas can load into one that is there.
    private func createSchema() throws {
        let encoding = try connection.execute("SHOW server_encoding").first?.first
        guard encoding == "UTF8" else { throw LoadFailed.otherEncoding(encoding?.flatMap { $0 } ?? "none") }
        if try connection.execute("SELECT to_regnamespace('subledger')").first?.first == .some(nil) {
            try connection.execute("CREATE SCHEMA subledger")
        }
        for (name, statement) in Self.tables.sorted(by: { $0.key < $1.key }) where try !exists(name) {
            try connection.execute(statement)
        }
    }

    private func exists(_ table: String) throws -> Bool {
        try connection.execute("SELECT to_regclass('subledger.\(table)')").first?.first?.flatMap { $0 } != nil
    }
}

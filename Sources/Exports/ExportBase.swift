import LedgerModel
import Primitives
import TableFiles

/// The export that another one continues, as its manifest states it.
package struct ExportBase: Sendable {
    /// The path of the manifest in its destination.
    let manifest: String
    let digest: Digest
    let origin: String
    let treeRoot: Digest
    let size: Position
    let asOf: Instant
    let rulesDigest: Digest
    /// The members that must be the same in the next export, as JSON texts by name.
    let options: [String: String]
    /// The tables by name.
    let tables: [String: ExportManifest.Table]
    /// Whether it is an export of facts.
    let isOfFacts: Bool
    /// The version of the facts, which a new program may raise, and the erasures.
    let decoder: Int64
    let erasures: Int64

    let zoneDigest: Digest

    /// The members of a manifest that the exports of one series share. The zone is none of them: rules may change it.
    static let sharedMembers = [
        "origin", "environments", "bundleIds", "personal", "reportingCurrency", "format",
        "writer",
    ]

    /// The limit for manifests, in bytes.
    static let limit = 16 << 20

    /// Reads a manifest.
    /// - Throws: `ExportGap` for a file that is none of this version; `StorageError`, `ObjectStorageError`.
    package init(manifest file: String, in destination: some ExportDestination) async throws {
        let address = destination.address(of: file)
        guard let bytes = try await destination.read(file, limit: Self.limit) else {
            throw ExportGap("the base does not exist", expected: "a manifest", found: address)
        }
        guard let base = Self(bytes, manifest: file) else {
            throw ExportGap(
                "the base cannot be read", expected: "a manifest of schema \(ExportPlan.schema)", found: address)
        }
        self = base
    }

    /// Returns nil for bytes that are no manifest of this version.
    init?(_ bytes: [UInt8], manifest: String) {
        guard let document = try? JSONDocument(parsing: bytes) else { return nil }
        let root = document.root
        guard root["schema"]?.integer == ExportPlan.schema, let origin = root["origin"]?.string,
            let size = root["range"]?["to"]?.integer, size >= 0,
            let asOf = root["asOf"]?.string.flatMap({ Instant(iso8601: $0) }),
            let rules = root["rulesDigest"]?.string.flatMap({ Digest(hex: $0) }),
            let zoneDigest = root["zoneDigest"]?.string.flatMap({ Digest(hex: $0) }),
            let treeRoot = root["treeRoot"]?.string.flatMap({ Digest(hex: $0) }),
            let decoder = root["decoder"]?.integer, let erasures = root["erasures"]?.integer,
            let rows = root["tables"]?.elements
        else { return nil }
        var tables: [String: ExportManifest.Table] = [:]
        for row in rows {
            guard let table = ExportManifest.Table(row) else { return nil }
            tables[table.name] = table
        }
        self.manifest = manifest
        digest = .sha256(of: bytes)
        isOfFacts = root["partitions"] != nil
        (self.origin, self.treeRoot, self.size, self.asOf) = (origin, treeRoot, Position(size), asOf)
        (rulesDigest, self.decoder, self.erasures, self.tables) = (rules, decoder, erasures, tables)
        self.zoneDigest = zoneDigest
        options = Self.options(root.members.map { .init($0.key, JSONValue($0.value)) })
    }

    /// Returns the members of a plan or a manifest that a series shares.
    static func options(_ members: [JSONValue.Member]) -> [String: String] {
        let shared = members.filter { sharedMembers.contains($0.key) }
        return Dictionary(
            shared.map { ($0.key, String(decoding: $0.value.canonical(), as: UTF8.self)) }
        ) { first, _ in first }
    }

    /// Whether the export has the rows of a plan, whatever either of them continues.
    func hasRows(of plan: ExportPlan) -> Bool {
        let versions = ExportTable.all.filter { plan.tables.contains($0.name) }.map {
            ($0.name, Int64($0.schema.version))
        }
        return size == plan.size && asOf == plan.asOf && rulesDigest == plan.rulesDigest
            && zoneDigest == plan.zoneDigest && decoder == plan.decoder && erasures == plan.erasures
            && options == Self.options(plan.members)
            && tables.mapValues(\.schemaVersion) == Dictionary(versions) { first, _ in first }
    }

    var coordinates: ExportPlan.Base {
        ExportPlan.Base(manifest: digest, size: size, asOf: asOf, rulesDigest: rulesDigest)
    }
}

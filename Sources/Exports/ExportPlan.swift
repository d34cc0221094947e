import LedgerAPI
package import LedgerModel
package import Primitives

/// The coordinates of an export: the same plan gives the same bytes.
///
/// It is the first file of an export's folder, and the name of the folder depends on it.
package struct ExportPlan: Hashable, Sendable {
    /// The version of the layout of plans, manifests and folders.
    package static let schema: Int64 = 2
    package static let fileName = "plan.json"

    /// The name of the log.
    package var origin: String
    /// The positions of the events that the export adds to its base; from 0 on without a base.
    package var range: Range<Position>
    package var asOf: Instant
    /// The export that this one continues; nil for one of everything.
    package var base: Base?
    package var rulesDigest: Digest
    /// The time zone of days, and the digest of its table.
    package var zone: String
    package var zoneDigest: Digest
    /// The version of the facts.
    package var decoder: Int64
    /// The number of erasures among the events.
    package var erasures: Int64
    /// Sorted.
    package var environments: [String]
    /// Sorted; empty for every app.
    package var bundleIds: [String]
    package var reportingCurrency: String?
    package var format: String
    package var writer: Writer
    /// The names of the tables, sorted.
    package var tables: [String]
    /// The number of segments of an export of the facts from which the tables are folded; nil for one of tables.
    package var partitions: Int?

    /// The coordinates of the export before.
    package struct Base: Hashable, Sendable {
        package var manifest: Digest
        package var size: Position
        package var asOf: Instant
        package var rulesDigest: Digest
    }

    package struct Writer: Hashable, Sendable {
        /// Rises with every change of the bytes that the writers of files write.
        package var version: Int64
        package var compression: String?
    }

    /// The size of the log.
    package var size: Position { range.upperBound }
}

extension ExportPlan {
    /// The members that plans and manifests share.
    var members: [JSONValue.Member] {
        let partitions = partitions.map { [JSONValue.Member("partitions", JSONValue($0))] } ?? []
        return partitions + [
            .init("schema", .integer(Self.schema)),
            .init("origin", .string(origin)),
            .init(
                "range",
                .object(["from": JSONValue(position: range.lowerBound), "to": JSONValue(position: range.upperBound)])),
            .init("asOf", JSONValue(asOf)),
            .init("base", base?.json ?? .null),
            .init("rulesDigest", .string(rulesDigest.hex)),
            .init("zone", .string(zone)),
            .init("zoneDigest", .string(zoneDigest.hex)),
            .init("decoder", .integer(decoder)),
            .init("erasures", .integer(erasures)),
            .init("environments", .array(environments.map { .string($0) })),
            .init("bundleIds", .array(bundleIds.map { .string($0) })),
            // Columns with direct personal data and free text are null.
            .init("personal", .bool(false)),
            .init("reportingCurrency", JSONValue(reportingCurrency)),
            .init("format", .string(format)),
            .init(
                "writer",
                .object(["version": .integer(writer.version), "compression": JSONValue(writer.compression)])),
        ]
    }

    /// The bytes of `plan.json`: RFC 8785.
    package var bytes: [UInt8] {
        JSONValue.object(members + [.init("tables", .array(tables.map { .string($0) }))]).canonical()
    }

    /// The name of the folder: the size and as-of in digits, so that names sort by them, and a part of the digest.
    package var folderName: String {
        let size = String(Int64(clamping: size), digits: 12)
        return "e-\(size)-\(String(asOf.milliseconds, digits: 13))-\(Digest.sha256(of: bytes).hex.prefix(8))"
    }
}

extension ExportPlan.Base {
    var json: JSONValue {
        .object([
            "manifestSha256": .string(manifest.hex), "to": JSONValue(position: size), "asOf": JSONValue(asOf),
            "rulesDigest": .string(rulesDigest.hex),
        ])
    }
}

extension String {
    /// Creates a number with leading zeros, so that names sort by it.
    init(_ number: some BinaryInteger, digits count: Int) {
        let text = "\(number)"
        self = [String](repeating: "0", count: Swift.max(0, count - text.count)).joined() + text
    }
}

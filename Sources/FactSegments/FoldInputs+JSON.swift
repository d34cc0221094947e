import LedgerModel
import Primitives
import StateTables
import TableFiles

extension FoldInputs {
    /// The bytes of the file: RFC 8785.
    package var bytes: [UInt8] {
        JSONValue.object([
            "schema": .integer(Self.schema), "decoder": .integer(Int64(FactCodec.version)),
            "writer": .integer(TableFileFormat.writerVersion), "asOf": JSONValue(asOf),
            "knownAt": .integer(Int64(clamping: context.size)), "format": .string(format.fileExtension),
            "reportingCurrency": JSONValue(currency), "rules": context.rules.json,
            "catalogs": .array(catalogs.map(\.json)), "rates": .array(rates.map(\.json)),
            "zones": .array(zones.map(\.json)), "tables": .array(tables.map(\.json)),
        ]).canonical()
    }

    private var catalogs: [CatalogChange] {
        context.catalogs.values.flatMap(\.changes).sorted { $0.position < $1.position }
    }

    /// The rates that the columns need.
    private var rates: [RatesChange] { context.rates.changes.filter { $0.rates.currency.text == currency } }

    /// Reads the file.
    /// - Throws: `SegmentError`: `inputs_invalid`; `version_unknown` for facts, tables or bytes of another version.
    package init(_ bytes: [UInt8]) throws(SegmentError) {
        guard let root = try? JSONDocument(parsing: bytes).root else { throw .inputs("JSON", found: "other bytes") }
        try Self.requireVersions(root)
        guard let asOf = root["asOf"]?.string.flatMap({ Instant(iso8601: $0) }),
            let size = root["knownAt"]?.integer, size >= 0, let rules = root["rules"].flatMap({ Rules(json: $0) }),
            let catalogs = root["catalogs"]?.all(CatalogChange.init),
            let rates = root["rates"]?.all(RatesChange.init), let zones = root["zones"]?.all(Zone.init),
            let format = [TableFileFormat.csv, .jsonLines].first(where: {
                $0.fileExtension == root["format"]?.string
            }),
            let names = root["tables"]?.all({ $0["name"]?.string })
        else { throw .inputs("the members that an export of facts writes", found: "others") }
        let histories = Dictionary(grouping: catalogs) { $0.catalog.bundleId }.mapValues { CatalogHistory($0) }
        self.init(
            AnalysisContext(
                size: Position(size), rules: rules, catalogs: histories, rates: RatesHistory(rates)),
            asOf: asOf, in: root["reportingCurrency"]?.string, zones: zones, as: format,
            StateTable.all.filter { names.contains($0.name) })
    }

    private static func requireVersions(_ root: JSONView) throws(SegmentError) {
        func require(_ name: String, _ expected: Int64, _ found: Int64?) throws(SegmentError) {
            guard found != expected else { return }
            throw SegmentError(
                .versionUnknown, "the inputs are of another version", expected: "\(name) \(expected)",
                found: found.map { "\($0)" } ?? "none")
        }
        try require("schema", schema, root["schema"]?.integer)
        try require("decoder", Int64(FactCodec.version), root["decoder"]?.integer)
        try require("writer", TableFileFormat.writerVersion, root["writer"]?.integer)
        for table in root["tables"]?.elements ?? [] {
            let name = table["name"]?.string ?? ""
            let known = StateTable.all.first { $0.name == name }?.schema.version
            try require("the table \(name)", Int64(known ?? 0), table["schemaVersion"]?.integer)
        }
    }
}

extension FoldInputs.Zone {
    fileprivate var json: JSONValue { .object(["name": .string(name), "tzif": .string(Base64.encode(tzif))]) }

    fileprivate init?(json: JSONView) {
        guard let name = json["name"]?.string, let tzif = json["tzif"]?.string.flatMap({ Base64.decode($0) }) else {
            return nil
        }
        self.init(name: name, tzif: tzif)
    }
}

extension StateTable {
    fileprivate var json: JSONValue {
        .object(["name": .string(name), "schemaVersion": .integer(Int64(schema.version))])
    }
}

/// The place of a change in the log.
private struct EventPlace {
    let position: Position
    let recordedAt: Instant
    let digest: Digest

    static func members(_ position: Position, _ recordedAt: Instant, _ digest: Digest) -> [JSONValue.Member] {
        [
            .init("position", .integer(Int64(clamping: position))), .init("recordedAt", JSONValue(recordedAt)),
            .init("sha256", .string(digest.hex)),
        ]
    }

    init?(_ json: JSONView) {
        guard let position = json["position"]?.integer, position >= 0,
            let recordedAt = json["recordedAt"]?.string.flatMap({ Instant(iso8601: $0) }),
            let digest = json["sha256"]?.string.flatMap({ Digest(hex: $0) })
        else { return nil }
        (self.position, self.recordedAt, self.digest) = (Position(position), recordedAt, digest)
    }
}

extension CatalogChange {
    fileprivate var json: JSONValue {
        .object(EventPlace.members(position, recordedAt, digest) + [.init("catalog", catalog.json)])
    }

    fileprivate init?(json: JSONView) {
        guard let place = EventPlace(json), let catalog = json["catalog"].flatMap({ Catalog(json: $0) }) else {
            return nil
        }
        self.init(catalog, digest: place.digest, recordedAt: place.recordedAt, position: place.position)
    }
}

extension RatesChange {
    fileprivate var json: JSONValue {
        let rates = rates.rates.map { rate -> JSONValue in
            .object([
                "day": .string(rate.day.description), "of": .string(rate.currency.text),
                "rate": .string(rate.rate.text),
            ])
        }
        return .object(
            EventPlace.members(position, recordedAt, digest) + [
                .init("currency", .string(self.rates.currency.text)), .init("rates", .array(rates)),
            ])
    }

    fileprivate init?(json: JSONView) {
        guard let place = EventPlace(json), let currency = json["currency"]?.string,
            let rates = json["rates"]?.all(ExchangeRates.Rate.init)
        else { return nil }
        self.init(
            ExchangeRates(currency: Symbol(currency), rates: rates), digest: place.digest,
            recordedAt: place.recordedAt, position: place.position)
    }
}

extension ExchangeRates.Rate {
    fileprivate init?(json: JSONView) {
        guard let day = json["day"]?.string.flatMap({ UTCDay($0) }), let of = json["of"]?.string,
            let rate = json["rate"]?.string.flatMap({ ExchangeRate($0) })
        else { return nil }
        self.init(day: day, currency: Symbol(of), rate: rate)
    }
}

extension JSONView {
    /// Returns all elements; nil if this is no list of them.
    fileprivate func all<Element>(_ element: (JSONView) -> Element?) -> [Element]? {
        guard let elements else { return nil }
        let read = elements.compactMap(element)
        return read.count == elements.count ? read : nil
    }
}

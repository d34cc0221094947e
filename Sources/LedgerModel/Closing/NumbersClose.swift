package import Primitives

/// An event that stores the numbers of all questions at an instant under a name.
package struct NumbersClose: Hashable, Sendable {
    /// The terms of the numbers.
    package struct Terms: Hashable, Sendable {
        package var name: String
        package var asOf: Instant
        package var environment: String
        /// Nil for all apps.
        package var bundleId: String?
        /// The time zone of calendars.
        package var zone: String
        /// The digest of the table of the zone.
        package var zoneDigest: Digest
        /// The definitions of retention and of recurring revenue.
        package var definition: String
        package var mrr: String
        /// The currency of revenue; nil for that of each sale.
        package var currency: String?
        /// The digest of the rules that were active.
        package var rules: Digest
        /// The number of events that the numbers know.
        package var size: Position
        /// The signed note over the log of that size.
        package var checkpoint: String

        package init(
            name: String, asOf: Instant, environment: String, bundleId: String?, zone: String, zoneDigest: Digest,
            definition: String, mrr: String, currency: String?, rules: Digest, size: Position, checkpoint: String
        ) {
            self.name = name
            self.asOf = asOf
            self.environment = environment
            self.bundleId = bundleId
            self.zone = zone
            self.zoneDigest = zoneDigest
            self.definition = definition
            self.mrr = mrr
            self.currency = currency
            self.rules = rules
            self.size = size
            self.checkpoint = checkpoint
        }
    }

    package let terms: Terms
    /// The SHA-256 of the text of the cells.
    package let digest: Digest
    package let recordedAt: Instant
    package let position: Position

    package init(_ terms: Terms, digest: Digest, recordedAt: Instant, position: Position) {
        (self.terms, self.digest, self.recordedAt, self.position) = (terms, digest, recordedAt, position)
    }
}

extension NumbersClose.Terms {
    /// The wire form: the members of the event's body, without the digest of the cells.
    package var json: JSONValue {
        .object([
            "asOf": JSONValue(asOf), "bundleId": bundleId.map { .string($0) } ?? .null,
            "checkpoint": .string(checkpoint), "currency": currency.map { .string($0) } ?? .null,
            "definition": .string(definition), "environment": .string(environment), "mrr": .string(mrr),
            "name": .string(name), "rules": .string(rules.hex), "size": .integer(Int64(clamping: size)),
            "zone": .string(zone), "zoneDigest": .string(zoneDigest.hex),
        ])
    }

    /// Reads the wire form; nil for another one.
    package init?(_ json: JSONView) {
        guard let name = json["name"]?.string, let asOf = json["asOf"]?.string.flatMap({ Instant(iso8601: $0) }),
            let environment = json["environment"]?.string, let zone = json["zone"]?.string,
            let zoneDigest = json["zoneDigest"]?.string.flatMap(Digest.init(hex:)),
            let definition = json["definition"]?.string, let mrr = json["mrr"]?.string,
            let rules = json["rules"]?.string.flatMap(Digest.init(hex:)),
            let size = json["size"]?.integer.flatMap({ Position(exactly: $0) }),
            let checkpoint = json["checkpoint"]?.string
        else { return nil }
        self.init(
            name: name, asOf: asOf, environment: environment, bundleId: json["bundleId"]?.string, zone: zone,
            zoneDigest: zoneDigest, definition: definition, mrr: mrr, currency: json["currency"]?.string,
            rules: rules, size: size, checkpoint: checkpoint)
    }
}

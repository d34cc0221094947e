package import LedgerModel
package import Primitives
package import StateTables
package import TableFiles

/// The inputs of a fold besides the facts: the instant, the knowledge, and the form of the rows.
///
/// It is `inputs.json` of an export of facts, and the same for all its segments.
package struct FoldInputs: Sendable {
    package static let fileName = "inputs.json"
    /// The version of the JSON form.
    static let schema: Int64 = 1

    /// A compiled table of the tz database.
    package struct Zone: Hashable, Sendable {
        package let name: String
        package let tzif: [UInt8]

        package init(name: String, tzif: [UInt8]) {
            (self.name, self.tzif) = (name, tzif)
        }
    }

    package let context: AnalysisContext
    package let asOf: Instant
    /// The currency of the columns that begin with `reporting_`; nil for none.
    package let currency: String?
    /// All zones but UTC that the rules need.
    package let zones: [Zone]
    /// A format of texts.
    package let format: TableFileFormat
    package let tables: [StateTable]

    package init(
        _ context: AnalysisContext, asOf: Instant, in currency: String?, zones: [Zone], as format: TableFileFormat,
        _ tables: [StateTable] = StateTable.all
    ) {
        (self.context, self.asOf, self.currency) = (context, asOf, currency)
        (self.zones, self.format, self.tables) = (zones, format, tables)
    }

    /// The question of the tables.
    /// - Throws: `SegmentError`: `inputs_invalid` without a zone.
    func question() throws(SegmentError) -> ExportQuestion {
        do {
            return try ExportQuestion(context, asOf: asOf, in: currency, zone: zone)
        } catch {
            throw (error as? SegmentError) ?? .inputs("the question", found: "\(error)")
        }
    }

    private func zone(named name: String) throws(SegmentError) -> TimeZoneTable {
        if name == TimeZoneTable.utc.name { return .utc }
        guard let zone = zones.first(where: { $0.name == name }),
            let table = TimeZoneTable(name: name, tzif: zone.tzif)
        else { throw .inputs("the time zone \(name)", found: "none") }
        return table
    }
}

extension SegmentError {
    static func inputs(_ expected: String, found: String) -> SegmentError {
        SegmentError(.inputsInvalid, "the inputs cannot be read", expected: expected, found: found)
    }
}

package import LedgerModel
package import Primitives
package import ProjectionRuntime
package import TableFiles

/// An export that somebody asks for.
package struct ExportRequest: Sendable {
    package var tables: [ExportTable]
    package var format: TableFileFormat
    /// The instant of state tables; nil for the time at which the last event was recorded.
    package var asOf: Instant?
    /// The number of events; nil for all.
    package var size: Position?
    /// The environments of all tables but `events`.
    package var environments: Set<String> = ["Production"]
    /// The apps; empty for all.
    package var bundleIds: Set<String> = []
    /// The currency of the columns that begin with `reporting_`; nil for none.
    package var reportingCurrency: String?
    /// The export that this one continues; nil for one of everything.
    package var base: ExportBase?
    /// The number of segments with the facts from which the tables are folded, in place of the tables; nil for tables.
    package var partitions: Int?
    /// Called with the progress.
    package var report: (@Sendable (RebuildProgress) -> Void)?

    package init(_ tables: [ExportTable], as format: TableFileFormat) {
        (self.tables, self.format) = (tables, format)
    }
}

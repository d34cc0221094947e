import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime
import StateTables
import SubscriptionLedger
import TableFiles

extension ExportTable {
    /// The customers of every app and environment.
    static let customers = ExportTable(
        TableSchema(
            name: "customers", version: 1, keyCount: 1,
            columns: [
                .text("customer_handle"), .nullable("external_id"), TableColumn("anonymous", .boolean),
                .instant("first_seen_at"), .nullable("merged_into"), .nullable("erased_at", .instant),
                TableColumn("evidence", .json), .nullable("last_position", .int64),
            ]),
        .customers { customer, row in
            row.append(text: customer.handle.hex)
            row.append(text: String?.none)
            row.append(boolean: customer.isAnonymous)
            row.append(instant: customer.firstSeenAt)
            row.append(text: customer.mergedInto?.hex)
            row.append(instant: customer.erasedAt)
            row.append(evidence: [customer.firstPosition])
        })
}

extension Exporter {
    /// The memory in which the rows of customers are sorted, in bytes.
    private static let customerLimit = 64 << 20

    func exportCustomers(to folder: ExportFolder) throws -> [ExportManifest.Table] {
        let found = tables.lazy.compactMap { table in
            if case .customers(let fill) = table.source { (table: table, fill: fill) } else { nil }
        }
        guard let (table, fill) = found.first else { return [] }
        let scratch = try Folder.temporary()
        defer { try? scratch.remove() }
        guard let base = base(of: table)?.base else {
            let sorted = try rows(of: table, fill, knownAt: plan.size, [.current: plan.asOf], in: scratch.path)
            return try write([sorted], of: [table], to: folder)
        }
        let readings: [StateRows.Reading: Instant] = [.current: plan.asOf, .restated: base.asOf]
        let sorted = try [
            rows(of: table, fill, knownAt: plan.size, readings, in: scratch.path + "/current"),
            rows(of: table, fill, knownAt: base.size, [.base: base.asOf], in: scratch.path + "/base"),
        ]
        return try write(sorted, of: [table], to: folder)
    }

    /// Returns the customers in some readings of the same events.
    private func rows(
        of table: ExportTable, _ fill: (ExportedCustomer, inout TableRow) -> Void, knownAt size: Position,
        _ readings: [StateRows.Reading: Instant], in folder: String
    ) throws -> SortedStateRows {
        try Folder(folder).create()
        let sorter = StateRowSorter(
            RecordSorter(limit: Self.customerLimit, pathPrefix: folder + "/table", fileLimit: 16))
        var row = TableRow(table.schema)
        var lossy = 0
        for (reading, asOf) in readings {
            try reader.forEachCustomer(knownAt: size, asOf: asOf, in: folder) { customer in
                row.removeAll()
                fill(customer, &row)
                if reading == .current { lossy += row.lossy }
                try sorter.add(row, of: 0, reading)
            }
        }
        return sorter.finish(lossy: [lossy])
    }
}

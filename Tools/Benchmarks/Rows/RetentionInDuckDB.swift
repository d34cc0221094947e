import AppStoreModel
import FoundationEssentials
import LedgerModel
import LedgerStorage
import PaidService
import Primitives
import ProjectionRuntime
import RetentionCohorts
import Revenue

extension BenchmarkRow {
    /// The retention matrix of all subscriptions from the facts, beside SQL over the same rows as Parquet. Both have the
    /// same cells.
    static let retentionInDuckDB = BenchmarkRow(
        name: "retention-vs-duckdb", unit: "facts/s",
        limitName: "a query of DuckDB, written by hand, over the same transactions and movements of money as Parquet",
        target: .ratioAtLeast(1)
    ) { progress in
        let store = try FactSample(progress)
        let tables = try RetentionTables(of: store, progress)
        let folder = try TemporaryFolder()
        return try await Measurement.alternating(progress) {
            let start = ContinuousClock.now
            let matrix = try store.retention(in: folder.path)
            let seconds = (ContinuousClock.now - start).seconds
            guard matrix.cells == tables.cells else { throw BenchmarkFailure("DuckDB has other cells") }
            return FactSample.factCount / seconds
        } limit: {
            FactSample.factCount / (try tables.query())
        }
    }
}

extension FactSample {
    fileprivate func retention(in folder: String) throws -> CohortMatrix {
        let units = try UnitFold(of: facts)
        var rules = Rules.Retention()
        rules.bridge = .none
        let question = RetentionQuestion(rules, zone: .utc, asOf: units.asOf)
        let parts = try units(in: folder, readsCustomers: false) { _ in
            CohortMatrix(question)
        } add: { matrix, unit in
            for unit in unit.lineages.purchaseUnits(by: .group, at: question.asOf, catalogs: [:]) { matrix.add(unit) }
        } finish: {
            $0
        }
        return parts.reduce(into: CohortMatrix(question)) { $0.merge($1) }
    }
}

extension CohortMatrix {
    /// The cells in the form and order of the query.
    fileprivate var cells: [String] {
        rows.flatMap { row in
            row.cells.enumerated().map { k, cell in
                let net = cell.net.entries.map { "\($0.currency?.text ?? "") \($0.amount)" }.sorted()
                return "\(row.key.bucket?.name ?? ""),\(k),\(cell.eligible),\(cell.retained),"
                    + net.joined(separator: " ")
            }
        }
    }
}

/// The transactions and the movements of money of the sample, as Parquet files that DuckDB wrote from CSV.
private final class RetentionTables {
    private static let query = "Tests/AcceptanceTests/DuckDB/retention.sql"
    private let path: String
    /// The result of the last query.
    private(set) var cells: [String] = []

    /// Writes the tables once, and keeps them under `.build/`.
    init(of store: FactSample, _ progress: Progress) throws {
        path = URL(filePath: ".build/benchmarks/retention-tables").path
        guard !FileManager.default.fileExists(atPath: path + "/question.parquet") else { return }
        progress.report("writing 4 million transactions and their movements of money as Parquet")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try write("transactions", FactSample.transactionsAsCSV)
        try write("charges", store.chargesAsCSV(in: path))
        try write("question", Array("instant\n\(UnitFold(of: store.facts).asOf.milliseconds)\n".utf8))
        try python(["convert", path]).finish()
    }

    /// Returns the seconds of the query.
    func query() throws -> Double {
        let child = try python(["time", Self.query, path])
        guard let seconds = child.nextLine().flatMap({ Double($0) }) else {
            throw BenchmarkFailure("the query failed: see \(path)/errors.txt")
        }
        cells = []
        while let line = child.nextLine() {
            var values = line.split(separator: ",", omittingEmptySubsequences: false)
            // Every subscription of the sample is for a month.
            values.remove(at: 1)
            cells.append(values.joined(separator: ","))
        }
        try child.finish()
        return seconds
    }

    private func python(_ arguments: [String]) throws -> ChildProcess {
        let program = URL(filePath: ".build/peers/bin/python").path
        guard FileManager.default.fileExists(atPath: program) else { throw BenchmarkFailure("run Tools/peers") }
        return try ChildProcess(
            program, ["Tools/Benchmarks/run-in-duckdb.py"] + arguments, errors: path + "/errors.txt")
    }

    private func write(_ table: String, _ text: [UInt8]) throws {
        try Data(text).write(to: URL(filePath: "\(path)/\(table).csv"))
    }
}

extension FactSample {
    fileprivate static var transactionsAsCSV: [UInt8] {
        var text = Array(
            """
            originalTransactionId,transactionId,previous,appTransactionId,subscriptionGroup,productId,ownership,\
            purchaseDate,expiresDate,signedDate,price,offer,terms,isUpgraded,revocationDate,revocationType,status

            """.utf8)
        forEachTransaction { key, signed, status, fact in
            let instants = [fact.purchaseDate, fact.expiresDate, signed].map { $0.map { "\($0.milliseconds)" } }
            let values: [String?] =
                [
                    key.originalTransactionId, fact.transactionId.text, nil, fact.appTransactionId?.text,
                    fact.subscriptionGroupIdentifier?.text, fact.productId?.text, fact.inAppOwnershipType?.rawValue,
                ] + instants + [
                    fact.price.map { "\($0.price)" }, nil, nil, "false", nil, nil, status.map { "\($0.rawValue)" },
                ]
            text += line(values)
        }
        return text
    }

    fileprivate func chargesAsCSV(in folder: String) throws -> [UInt8] {
        let units = try UnitFold(of: facts)
        let asOf = units.asOf
        let parts = try units(in: folder, readsCustomers: false) { _ in
            [UInt8]()
        } add: { text, unit in
            for charge in unit.lineages.purchaseUnits(by: .group, at: asOf, catalogs: [:]).flatMap(\.charges) {
                text += line([
                    charge.key.originalTransactionId, charge.kind.rawValue, "\(charge.at.milliseconds)",
                    charge.currency?.text, charge.amount.map { "\($0)" },
                ])
            }
        } finish: {
            $0
        }
        return Array("originalTransactionId,kind,time,currency,amount\n".utf8) + parts.joined()
    }
}

/// Returns a line of CSV. No value has a comma or a quotation mark.
private func line(_ values: [String?]) -> String.UTF8View {
    (values.map { $0 ?? "" }.joined(separator: ",") + "\n").utf8
}

import Exports
import FoundationEssentials
import LedgerTesting
import Primitives
import TableFiles
import Testing

/// Exports read by Apache Spark, as a cluster of two worker processes.
@Suite struct `Exports in Spark` {
    @Test func `are folded to the bytes of exported tables, and read back as they were written`() async throws {
        let (ledger, asOf) = try await FoldedExportLedger.make(customers: TestEnvironment.isLong ? 400 : 40)
        var folds: [JSONValue] = []
        for (partitions, format) in [(3, TableFileFormat.csv), (1, .jsonLines)].prefix(TestEnvironment.isLong ? 2 : 1) {
            let facts = try await ledger.exportFacts(partitions, format, asOf: asOf, to: "facts")
            let tables = try await ledger.export(format, asOf: asOf, ExportTable.states, to: "states")
            folds.append(.object(["facts": .string(facts.folder), "tables": .string(tables.folder)]))
        }
        let parquet = try await ledger.export(.parquet(.snappy), asOf: asOf, to: "parquet")
        let text = try await ledger.export(.csv, asOf: asOf, to: "text")
        let question = JSONValue.object([
            "folds": .array(folds), "parquet": .string(parquet.folder), "csv": .string(text.folder),
            "columns": .object(ExportTable.all.map { .init($0.name, $0.columns) }),
        ])
        let lines = try await blocking {
            let program = try ChildProcess.folder() + "/subledger-fold"
            let script = FileManager.default.currentDirectoryPath + "/Tools/spark/fold.py"
            return try Python.lines(
                Python.path(of: "spark.py", beside: #filePath), [script, program, question.serialized()])
        }
        #expect(lines.last == "equal")
    }
}

extension ExportTable {
    /// The name and the type of each column, and whether it may be null.
    fileprivate var columns: JSONValue {
        .array(schema.columns.map { .array([.string($0.name), .string("\($0.type)"), .bool($0.isNullable)]) })
    }
}

import LedgerTesting
import Testing

/// A folder of CSV files over which DuckDB runs queries that were written by hand. `Tools/peers` installs DuckDB.
struct DuckDB {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Writes a table. No value contains a comma or a quotation mark.
    func write(_ table: String, columns: [String], _ rows: some Sequence<[String?]>) throws {
        var text = columns.joined(separator: ",") + "\n"
        for row in rows { text += row.map { $0 ?? "" }.joined(separator: ",") + "\n" }
        try File.write(Array(text.utf8), to: "\(folder.path)/\(table).csv")
    }

    /// Returns the rows of a query, a file beside this one.
    func rows(_ query: String, source: String = #filePath) throws -> [[String]] {
        let run = Python.path(of: "run.py", beside: source)
        let lines = try Python.lines(run, [Python.path(of: query, beside: source), folder.path])
        return lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}

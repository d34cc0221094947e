import FoundationEssentials
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
        let queries = source.split(separator: "/").dropLast().joined(separator: "/")
        let python = FileManager.default.currentDirectoryPath + "/.build/peers/bin/python"
        try #require(FileManager.default.fileExists(atPath: python), "run Tools/peers")
        let child = try ChildProcess(python, ["/\(queries)/run.py", "/\(queries)/\(query)", folder.path])
        child.closeInput()
        let lines = child.remainingLines()
        let ending = child.end(by: nil)
        try #require(ending == .exited(0), "\(child.standardError)")
        return lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}

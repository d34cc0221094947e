import Exports
import FoundationEssentials
import Glibc
import LedgerModel
import Primitives
import ProjectionRuntime
import TableFiles

extension BenchmarkRow {
    /// The writing of sorted rows as Parquet by one thread: digests of rows and files, compression and the sync included.
    static let exportParquet = BenchmarkRow(
        name: "export-parquet", unit: "rows/s",
        limitName: "DuckDB writing the same rows of a table in memory as Parquet, by one thread",
        target: .ratioAtLeast(0.5)
    ) { progress in
        let sample = ExportSample(progress)
        var measurement = try await Measurement.alternating(progress) {
            try sample.rate(.parquet(.snappy)).rows
        } limit: {
            try sample.duckDBRate(threads: 1)
        }
        let all = try sample.duckDBRate(threads: Machine.this.cores)
        measurement.note =
            "\(Double(ExportSample.count).short) rows of charges; DuckDB by all \(Machine.this.cores) threads: "
            + "\(all.short) rows/s"
        return measurement
    }

    /// The writing of sorted rows as CSV by one thread. There is no target; the ratio tells the cost of making the text.
    static let exportCSV = BenchmarkRow(
        name: "export-csv", unit: "MB/s", limitName: "copying the same bytes to another file and syncing it",
        target: .ratioAtLeast(0)
    ) { progress in
        let sample = ExportSample(progress)
        var rows: [Double] = []
        var measurement = try await Measurement.alternating(progress) {
            let rate = try sample.rate(.csv)
            rows.append(rate.rows)
            return rate.bytes / 1_000_000
        } limit: {
            try sample.copyRate() / 1_000_000
        }
        measurement.note = "\(rows.median.short) rows/s; \(Double(ExportSample.count).short) rows of charges; no target"
        return measurement
    }

    /// The peak of anonymous memory while the rows of a table are sorted, as the threads of an export sort them, and
    /// written as Parquet.
    static let exportMemory = BenchmarkRow(
        name: "export-memory", unit: "MiB", limitName: nil, target: .valueAtMost(1_024)
    ) { progress in
        let memory = PeakMemory()
        let rows = try ExportSample.sortAndWrite(10_000_000, progress, memory)
        return Measurement(
            values: [Double(memory.mebibytes)],
            note: "\(Double(rows).short) rows of charges, sorted by \(Machine.this.cores) threads")
    }
}

/// Rows of the table charges in the form in which an export sorts them.
private struct ExportSample {
    static let count = 2_000_000
    private static let table = ExportTable.all.first { $0.name == "charges" } ?? ExportTable.all[0]
    private static let storefronts = ["USA", "DEU", "JPN", "BRA"]
    private static let currencies = ["USD", "EUR", "JPY", "BRL"]
    private static let products = ["pro.monthly", "pro.yearly", "basic.monthly", "basic.yearly"]

    private let stored: [UInt8]
    private let ends: [Int]

    init(_ progress: Progress) {
        progress.report("making \(Self.count) rows")
        var row = TableRow(Self.table.schema)
        var (stored, ends) = ([UInt8](), [Int]())
        for number in 0..<Self.count {
            Self.fill(&row, number)
            row.encode(into: &stored)
            ends.append(stored.count)
        }
        (self.stored, self.ends) = (stored, ends)
    }

    /// A sale of a subscription with about four sales.
    private static func fill(_ row: inout TableRow, _ number: Int) {
        var generator = SplitMix(state: UInt64(number / 4))
        let unit = (generator.next(), generator.next())
        let kind = Int(unit.0 % 4)
        let (subscription, period) = (2_000_000_000_000_000 + number / 4 * 17, number % 4)
        let at = Instant(
            milliseconds: 1_735_689_600_000 + Int64(unit.1 % 2_592_000_000) + Int64(period) * 2_678_400_000)
        row.removeAll()
        row.append(text: "Production")
        row.append(text: "com.example.app")
        row.append(text: "\(subscription)")
        row.append(text: products[kind])
        row.append(text: "\(subscription + period)")
        row.append(text: number % 31 == 0 ? "refund" : "sale")
        row.append(integer: 0)
        row.append(hex: Digest(words: (unit.0, unit.1, unit.0, unit.1)).bytes)
        row.append(instant: at)
        row.append(instant: at)
        row.append(milliunits: 9_990)
        row.append(text: currencies[kind])
        row.append(integer: 7_000)
        row.append(milliunits: 6_993)
        row.append(milliunits: nil)
        row.append(daysSinceEpoch: nil)
        row.append(text: "21000001")
        row.append(text: storefronts[kind])
        row.append(text: "none")
        row.append(boolean: false)
        row.append(json: Array("[\(number)]".utf8))
        row.append(integer: Int64(number))
    }

    // MARK: Rates

    private static let folder = URL(filePath: ".build/benchmarks/export").path

    /// Returns rows and bytes per second of writing all rows; keeps the files.
    func rate(_ format: TableFileFormat) throws -> (rows: Double, bytes: Double) {
        try? FileManager.default.removeItem(atPath: Self.folder)
        try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
        let start = ContinuousClock.now
        let output = try TableOutput(Self.table, in: ExportFolder(path: Self.folder), format, mode: .full)
        var begin = 0
        for end in ends {
            try output.add(stored[begin..<end], .insert, isRestated: false)
            begin = end
        }
        let written = try output.finish()
        let seconds = (ContinuousClock.now - start).seconds
        guard written.upserts == Int64(Self.count) else { throw BenchmarkFailure("not every row was written") }
        return (Double(Self.count) / seconds, Double(written.files.reduce(0) { $0 + $1.bytes }) / seconds)
    }

    /// Returns rows per second of DuckDB. The files are written first.
    func duckDBRate(threads: Int) throws -> Double {
        _ = try rate(.parquet(.snappy))
        let program = URL(filePath: ".build/peers/bin/python").path
        guard FileManager.default.fileExists(atPath: program) else { throw BenchmarkFailure("run Tools/peers") }
        let child = try ChildProcess(
            program, ["Tools/Benchmarks/run-in-duckdb.py", "write", "\(threads)", Self.folder],
            errors: Self.folder + "/errors.txt")
        guard let seconds = child.nextLine().flatMap({ Double($0) }),
            child.nextLine().flatMap({ Int($0) }) == Self.count
        else { throw BenchmarkFailure("DuckDB failed: see \(Self.folder)/errors.txt") }
        try child.finish()
        return Double(Self.count) / seconds
    }

    /// Returns bytes per second of copying the files of the table.
    func copyRate() throws -> Double {
        _ = try rate(.csv)
        let table = "\(Self.folder)/\(Self.table.name)"
        let start = ContinuousClock.now
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: table) {
            count += try copy("\(table)/\(name)", to: "\(Self.folder)/copy")
        }
        return Double(count) / (ContinuousClock.now - start).seconds
    }

    private func copy(_ source: String, to target: String) throws -> Int {
        let (input, output) = (open(source, O_RDONLY), open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o600))
        defer {
            close(input)
            close(output)
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var total = 0
        while true {
            let count = read(input, &buffer, buffer.count)
            if count == 0 { break }
            guard count > 0, write(output, buffer, count) == count else {
                throw BenchmarkFailure("\(source) cannot be copied")
            }
            total += count
        }
        guard fsync(output) == 0 else { throw BenchmarkFailure("\(target) cannot be synced") }
        return total
    }

    // MARK: Memory

    /// Sorts rows as the threads of an export do, and writes them.
    static func sortAndWrite(_ count: Int, _ progress: Progress, _ memory: PeakMemory) throws -> Int {
        let folder = try TemporaryFolder()
        let threads = Machine.this.cores
        // `UnitFold` divides the memory of an export in the same way.
        let limit = RebuildOptions().memory / 2 / threads
        var row = TableRow(table.schema)
        var runs: [SortedRuns] = []
        for thread in 0..<threads {
            progress.report("sorting the rows of thread \(thread + 1) of \(threads)")
            var sorter = RecordSorter(limit: limit, pathPrefix: "\(folder.path)/run-\(thread)", fileLimit: 128)
            // A unit's rows are together, and the units in no order.
            for index in stride(from: thread, to: count, by: threads) {
                fill(&row, Int(UInt64(index).multipliedReportingOverflow(by: 7_919).partialValue % UInt64(count)))
                try sorter.append {
                    row.encodeKey(into: &$0)
                } body: {
                    row.encode(into: &$0)
                }
                if index % 65_536 == 0 { memory.update() }
            }
            runs.append(sorter.finish())
            memory.update()
        }
        progress.report("writing \(count) rows")
        let output = try TableOutput(table, in: ExportFolder(path: folder.path), .parquet(.snappy), mode: .full)
        var written = 0
        try SortedRuns.merge(runs) { record in
            try output.add(record.body, .insert, isRestated: false)
            written += 1
            if written % 65_536 == 0 { memory.update() }
        }
        _ = try output.finish()
        memory.update()
        return written
    }
}

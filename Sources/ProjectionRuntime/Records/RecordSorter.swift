import Glibc
import HeapModule
import LedgerModel
import LedgerStorage

/// Sorts any number of records by key with bounded memory: sorted runs go to files, which are merged at the end.
package struct RecordSorter: Sendable {
    private let limit: Int
    /// The number of files at which they are merged into one, so that few are open at a time.
    private let fileLimit: Int
    private let pathPrefix: String
    private var buffer = RecordBuffer()
    private var runPaths: [String] = []
    /// The number of files written, also of those that were merged.
    private var runCount = 0
    private var spilledCount = 0

    /// - Parameters:
    ///   - limit: the number of bytes of records in memory.
    ///   - pathPrefix: the paths of the runs begin with it.
    ///   - fileLimit: the number of files that are read at the same time; at least 2.
    package init(limit: Int, pathPrefix: String, fileLimit: Int) {
        self.limit = limit
        self.fileLimit = fileLimit
        self.pathPrefix = pathPrefix
    }

    /// - Throws: `disk_full`, `io_error`.
    package mutating func append(key: (inout [UInt8]) -> Void, body: (inout [UInt8]) -> Void) throws {
        buffer.append(key: key, body: body)
        if buffer.bytes.count + buffer.records.count * MemoryLayout<RecordBuffer.Record>.stride > limit { try spill() }
    }

    /// - Throws: `disk_full`, `io_error`.
    mutating func append<Row>(_ entry: ProjectionEntry<Row>, _ columns: [Column<Row>]) throws {
        try append {
            entry.key.appendOrdered(to: &$0)
        } body: {
            entry.append(to: &$0, columns: columns)
        }
    }

    private mutating func spill() throws {
        buffer.sort()
        spilledCount += buffer.records.count
        try writeRun { [buffer] writer in for record in buffer.records { try writer.append(buffer.stored(record)) } }
        buffer.removeAll()
        guard runPaths.count == fileLimit else { return }
        let merged = SortedRuns(count: spilledCount, buffer: RecordBuffer(), paths: runPaths)
        runPaths = []
        try writeRun { writer in try SortedRuns.merge([merged]) { try writer.append($0.stored) } }
        for path in merged.paths { unlink(path) }
    }

    private mutating func writeRun(_ body: (RecordFileWriter) throws -> Void) throws {
        let writer = try RecordFileWriter("\(pathPrefix)-\(runCount)")
        try body(writer)
        try writer.flush()
        runPaths.append(writer.path)
        runCount += 1
    }

    /// Returns the sorted runs. The last one stays in memory.
    package mutating func finish() -> SortedRuns {
        buffer.sort()
        defer { buffer = RecordBuffer() }
        return SortedRuns(count: spilledCount + buffer.records.count, buffer: buffer, paths: runPaths)
    }
}

/// The sorted runs of one sorter.
package struct SortedRuns: Sendable {
    /// Small, because many runs are read at the same time.
    private static let chunkByteCount = 1 << 15

    /// The number of records.
    let count: Int
    fileprivate let buffer: RecordBuffer
    fileprivate let paths: [String]

    /// Calls `body` with the records of all runs in the order of their keys.
    /// - Complexity: O(n log k) for n records in k runs.
    package static func merge(_ runs: [SortedRuns], _ body: (StoredRecord) throws -> Void) throws {
        var heap = Heap<RunHead>()
        for run in runs {
            if let head = try RunHead(.memory(run.buffer)) { heap.insert(head) }
            for path in run.paths {
                if let head = try RunHead(.file(RecordFileReader(path, chunkByteCount: chunkByteCount))) {
                    heap.insert(head)
                }
            }
        }
        while let head = heap.popMin() {
            try body(head.record)
            if try head.advance() { heap.insert(head) }
        }
    }
}

/// A run at its next record.
private final class RunHead: Comparable {
    enum Source {
        case memory(RecordBuffer)
        case file(RecordFileReader)
    }

    private let source: Source
    /// The index of the next record of a run in memory.
    private var index = 0
    private(set) var record: StoredRecord

    /// Returns nil for an empty run.
    init?(_ source: Source) throws(StorageError) {
        self.source = source
        record = StoredRecord(stored: [], keyLength: 0)
        guard try advance() else { return nil }
    }

    /// Moves to the next record.
    /// - Returns: false at the end.
    func advance() throws(StorageError) -> Bool {
        switch source {
        case .memory(let buffer):
            guard index < buffer.records.count else { return false }
            let next = buffer.records[index]
            record = StoredRecord(stored: buffer.stored(next), keyLength: next.keyLength)
            index += 1
        case .file(let reader):
            guard let next = try reader.readNext() else { return false }
            record = next
        }
        return true
    }

    static func < (left: RunHead, right: RunHead) -> Bool { left.record.precedes(right.record) }
    static func == (left: RunHead, right: RunHead) -> Bool { left === right }
}

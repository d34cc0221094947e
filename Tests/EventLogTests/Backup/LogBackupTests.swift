import EventLog
import Glibc
import LedgerStorage
import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct `A backup of the log` {
    private struct Stop: Error {}

    private func appendMany(_ keys: Range<Int>, to setup: LogUnderTest) async throws {
        try await setup.writing { log in
            for start in stride(from: keys.lowerBound, to: keys.upperBound, by: 1_000) {
                try await log.append(
                    (start..<min(start + 1_000, keys.upperBound)).map {
                        $0 % 7 == 0 ? .sample("\($0)", evidence: Evidence.none) : .sample("\($0)")
                    })
            }
        }
    }

    /// Copies the log to a folder that may contain the beginning of a copy.
    private func copy(
        _ setup: LogUnderTest, to copy: LogUnderTest, progress: (UInt64, UInt64) throws -> Void = { _, _ in }
    ) throws {
        try setup.reading { try LogBackup(of: $0).copy(to: copy.folder.log, progress: progress) }
    }

    private func expect(_ copy: LogUnderTest, toEqual setup: LogUnderTest) throws {
        func contents(_ log: LogReader) throws -> [Record: [UInt8]] {
            var contents: [Record: [UInt8]] = [:]
            var position: UInt64 = 0
            while try position < log.size() {
                position = try log.forEach(from: position, below: .max) { contents[$0] = $1.verbatim }
            }
            return contents
        }
        let (original, copied) = (
            try setup.reading { ($0.origin, try $0.head()) }, try copy.reading { ($0.origin, try $0.head()) }
        )
        #expect(original == copied)
        #expect(try setup.reading(contents) == copy.reading(contents))
        let report = try copy.reading { try LogAudit($0).run() }
        #expect(report.isSound && report.events == original.1.size)
    }

    @Test func `is the log`() async throws {
        let (setup, copied) = (try LogUnderTest(), try LogUnderTest())
        try await appendMany(0..<700, to: setup)
        try copy(setup, to: copied)
        try expect(copied, toEqual: setup)
        // A repeated copy changes nothing.
        try copy(setup, to: copied)
        try expect(copied, toEqual: setup)
    }

    @Test func `of nothing is a log of size 0`() async throws {
        let (setup, copied) = (try LogUnderTest(), try LogUnderTest())
        try await setup.writing { _ in }
        try copy(setup, to: copied)
        try expect(copied, toEqual: setup)
    }

    @Test func `that was stopped goes on where it was, also when the log has grown`() async throws {
        let (setup, copied) = (try LogUnderTest(), try LogUnderTest())
        try await appendMany(0..<9_000, to: setup)
        var reached: [UInt64] = []
        #expect(throws: Stop.self) {
            try copy(setup, to: copied) { copied, all in
                reached.append(copied)
                #expect(all == 9_000)
                throw Stop()
            }
        }
        #expect(reached == [4_096])
        #expect(
            try copied.reading {
                try $0.head() == TreeHead(size: 4_096, root: setup.reading { try $0.root(ofFirst: 4_096) })
            })
        try await appendMany(9_000..<10_000, to: setup)
        try copy(setup, to: copied) { copied, _ in reached.append(copied) }
        #expect(reached == [4_096, 8_192, 10_000])
        try expect(copied, toEqual: setup)
        // The copy can be written to like any other log.
        try await copied.writing { log in try await log.append([.sample("more")], expecting: [.new(10_000)]) }
    }

    @Test func `goes on only with a copy of the same log`() async throws {
        let (setup, other, copied) = (try LogUnderTest(), try LogUnderTest(), try LogUnderTest())
        try await appendMany(0..<500, to: setup)
        try await appendMany(500..<700, to: other)
        try copy(other, to: copied)
        let error = #expect(throws: StorageError.self) { try copy(setup, to: copied) }
        #expect(error?.code == .logCorrupt)
    }

    @Test(arguments: [[1], [UInt8](repeating: 1, count: 31), [UInt8](repeating: 1, count: 183), []])
    func `stops at a record that is none`(record: [UInt8]) async throws {
        let (setup, copied) = (try LogUnderTest(), try LogUnderTest())
        try await appendMany(0..<50, to: setup)
        if record.isEmpty { try setup.delete(17, in: "records") } else { try setup.put(record, at: 17, in: "records") }
        let error = #expect(throws: StorageError.self) { try copy(setup, to: copied) }
        #expect(error?.code == .logCorrupt)
    }

    @Test func `stops where the root is not the original's`() async throws {
        let (setup, copied) = (try LogUnderTest(), try LogUnderTest())
        try await appendMany(0..<50, to: setup)
        try setup.put(try #require(try setup.value(at: 17, in: "records")).changed(at: 100), at: 17, in: "records")
        let error = #expect(throws: StorageError.self) { try copy(setup, to: copied) }
        #expect(error?.code == .logCorrupt)
    }

    @Test func `takes its place at once, and takes no other's`() async throws {
        let setup = try LogUnderTest()
        try await appendMany(0..<5, to: setup)
        let partial = DataFolder(path: setup.temporary.path + "/copy.partial")
        try partial.create()
        try setup.reading { try LogBackup(of: $0).copy(to: partial.log) { _, _ in } }
        let error = #expect(throws: StorageError.self) { try partial.rename(to: setup.folder.path) }
        #expect(error?.code == .ioError)
        try partial.rename(to: setup.temporary.path + "/copy")
        #expect(!partial.exists)
        #expect(DataFolder(path: setup.temporary.path + "/copy").exists)
    }
}

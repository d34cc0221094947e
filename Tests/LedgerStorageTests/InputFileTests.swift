import AppStoreSimulation
import FoundationEssentials
import LedgerStorage
import LedgerTesting
import Testing

@Suite("Files of input")
final class InputFileTests {
    private let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.path()
        path = "\(folder)/subledger-input-\(UUID().uuidString)"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func lines(limit: Int = 1 << 20) throws -> [[UInt8]] {
        var reader = try LineReader(path: path, limit: limit)
        var lines: [[UInt8]] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    @Test(
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\n\nb\n", ["a", "", "b"]),
            ("\n\n", ["", ""]), ("a\r\nb", ["a\r", "b"]),
        ] as [(String, [String])])
    func `a file is read line by line`(text: String, expected: [String]) throws {
        try write(Array(text.utf8))
        #expect(try lines() == expected.map { Array($0.utf8) })
    }

    @Test func `lines of any length come back whole`() throws {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        let expected = (0..<60).map { _ in
            [UInt8](repeating: UInt8(97 + random.below(26)), count: random.below(1 << random.below(20)))
        }
        try write(Array(expected.joined(separator: [0x0A])) + [0x0A])
        #expect(try lines() == expected, "seed \(TestEnvironment.seed)")
    }

    @Test(arguments: [1, 10, 300_000])
    func `a line beyond the limit is cut, and the next one is whole`(limit: Int) throws {
        try write([UInt8](repeating: 0x78, count: 1_000_000) + Array("\ny\n".utf8))
        let lines = try lines(limit: limit)
        #expect(lines.map(\.count) == [limit + 1, 1])
        #expect(lines[1] == [0x79])
    }

    @Test(arguments: [(0, 0), (10, 10), (11, 11), (12, 11), (1_000_000, 11)])
    func `a whole file is read up to a byte more than its limit`(count: Int, expected: Int) throws {
        try write([UInt8](repeating: 0x78, count: count))
        #expect(try InputFile.bytes(of: path, limit: 10).count == expected)
    }

    @Test func `a file that stays the same is read like any other`() throws {
        try write(Array("0123456789abc".utf8))
        let bytes = try InputFile.unchangedBytes(of: path, limit: 10) {}
        #expect(bytes == Array("0123456789a".utf8))
        #expect(try InputFile.unchangedBytes(of: "/dev/null", limit: 10) {} == [])
    }

    /// Changes between the two looks at the file: a longer text, a shorter one, another of the same length, and another
    /// file in its place.
    @Test(arguments: ["longer text", "", "12345", "replaced"])
    func `a file that changes while it is read is refused`(text: String) throws {
        try write(Array("abcde".utf8))
        let error = try #require(throws: InputFailure.self) {
            _ = try InputFile.unchangedBytes(of: path, limit: 100) {
                try Data(text.utf8).write(to: URL(filePath: path), options: text == "replaced" ? .atomic : [])
                guard text != "replaced" else { return }
                let later = Date(timeIntervalSinceNow: 10)
                try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path)
            }
        }
        #expect(error.reason == "a change while it was read")
    }

    @Test func `what cannot be read is a failure that names the file`() throws {
        let failure = #expect(throws: InputFailure.self) { try InputFile.bytes(of: self.path, limit: 10) }
        #expect(failure?.path == path)
        #expect(throws: InputFailure.self) { try self.lines() }
        #expect(throws: InputFailure.self) { try InputFile.bytes(of: "/", limit: 10) }
    }
}

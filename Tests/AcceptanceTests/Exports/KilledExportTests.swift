import Exports
import Glibc
import LedgerTesting
import Primitives
import SubscriptionLedger
import TableFiles
import Testing

@Suite("SIGKILL during an export", .serialized)
struct KilledExportTests {
    @Test func `leaves no manifest before the end, and the same command completes the files`() async throws {
        let rounds = TestEnvironment.isLong ? 50 : 12
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<20 { try await ledger.play(to: night, from: &next) }
        let size = try ledger.reader.size()
        var random = SeededRandom(seed: TestEnvironment.seed)
        let whole = try await ledger.export(.parquet(.snappy), asOf: ledger.instant(of: 19), size: size, to: "whole")
        let expected = try NightlyLedger.files(of: whole)
        let options = [
            "--data", ledger.dataFolder, "--known-at", "\(size)", "--as-of", ledger.instant(of: 19).iso8601,
            "--environment", "Production", "--environment", "Sandbox", "--format", "json",
        ]
        let command = ["export", "--to", ledger.folder + "/killed"] + options
        let start = ContinuousClock.now
        let timed = ["export", "--to", ledger.folder + "/timed"] + options
        try await blocking { try #require(try Subledger(timed).ending == .exited(0)) }
        let duration = ContinuousClock.now - start
        let manifest = whole.manifestPath.replacing(ledger.folder + "/whole", with: ledger.folder + "/killed")
        let delays = (0..<rounds).map { _ in duration * Double.random(in: 0...1.5, using: &random) }
        try await blocking {
            var unfinished = 0
            for delay in delays {
                let deadline = ContinuousClock.now + delay
                let child = try ChildProcess("subledger", command)
                while child.nextLine(before: deadline) != nil {}
                _ = child.end(by: SIGKILL)
                guard access(manifest, F_OK) == 0 else {
                    unfinished += 1
                    continue
                }
                let files = try Self.files(like: expected, beside: manifest)
                try #require(files == expected, "killed after \(delay), seed \(TestEnvironment.seed)")
                // A complete export is not written again, so the next round begins without it.
                try #require(unlink(manifest) == 0)
            }
            let last = try Subledger(command)
            try #require(last.ending == .exited(0), "\(last.errors)")
            let files = try Self.files(like: expected, beside: manifest)
            #expect(files == expected)
            print(
                "SIGKILL during an export: \(rounds) rounds, \(unfinished) times no manifest,",
                "seed \(TestEnvironment.seed)")
        }
    }

    /// Returns the bytes of the files with the same names beside another manifest.
    private static func files(like expected: [String: [UInt8]], beside manifest: String) throws -> [String: [UInt8]] {
        let folder = manifest.dropLast("/manifest.json".count)
        var files: [String: [UInt8]] = [:]
        for path in expected.keys { files[path] = try File.read("\(folder)/\(path)") }
        return files
    }
}

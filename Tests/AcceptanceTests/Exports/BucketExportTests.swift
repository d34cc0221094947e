import AsyncHTTPClient
import FoundationEssentials
import Glibc
import LedgerTesting
import ObjectStorage
import Primitives
import Testing

/// Exports to a bucket, by the command, beside the process that writes the ledger.
@Suite struct `Exports to a bucket` {
    /// The files of a ledger, and a folder for exports.
    private struct Exported: Sendable {
        let data: String
        let local: String
        /// An instant before the last event.
        let earlier: String

        func arguments(_ place: String, _ options: [String]) -> [String] {
            ["export", "--data", data, "--to", place, "--as", "csv", "--format", "json"]
                + ["--environment", "Production", "--environment", "Sandbox"] + options
        }

        func run(to place: String, _ options: [String] = [], environment: [String: String] = [:]) throws -> Subledger {
            try Subledger(arguments(place, options), environment: environment)
        }

        /// Returns the address of the manifest that an export reports.
        func manifest(to place: String, _ options: [String] = [], environment: [String: String] = [:]) throws -> String
        {
            let run = try run(to: place, options, environment: environment)
            try #require(run.ending == .exited(0), "\(run.errors)")
            return try #require(run.lines.first?["manifest"]?.string)
        }

        /// The digests of the files in the local folder, by their paths.
        func files() throws -> [String: String] {
            var files: [String: String] = [:]
            for path in try FileManager.default.subpathsOfDirectory(atPath: local) {
                var isFolder = false
                guard FileManager.default.fileExists(atPath: "\(local)/\(path)", isDirectory: &isFolder), !isFolder
                else { continue }
                files[path] = Digest.sha256(of: try File.read("\(local)/\(path)")).hex
            }
            return files
        }
    }

    private static func withLedger(_ body: @escaping @Sendable (Exported, Bucket) throws -> Void) async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<3 { try await ledger.play(to: night, from: &next) }
        let exported = Exported(
            data: ledger.dataFolder, local: ledger.folder + "/local", earlier: ledger.instant(of: 1).iso8601)
        try await blocking { try body(exported, Bucket()) }
        withExtendedLifetime(ledger) {}
    }

    @Test func `equal those to a folder file by file, and are uploaded once`() async throws {
        try await Self.withLedger { exported, bucket in
            let local = try exported.manifest(to: exported.local)
            let files = try exported.files()
            let first = try exported.manifest(to: Bucket.url, environment: bucket.environment())
            #expect(first == local.replacing(exported.local, with: Bucket.url))
            #expect(try bucket.objects(below: "exports") == files && files.count > 3)
            #expect(try bucket.writes() == files.count)
            #expect(try exported.manifest(to: Bucket.url + "/", environment: bucket.environment()) == first)
            // The plan is put only if there is none, which is an attempt to write.
            #expect(try bucket.writes() == files.count + 1)
            #expect(try bucket.objects(below: "exports") == files)
        }
    }

    /// Requires that a run has stored some files and no manifest, and that the next run stores the rest.
    private static func requireCompletion(of exported: Exported, in bucket: Bucket, after writes: Int) throws {
        let objects = try bucket.objects(below: "exports")
        #expect(objects.count == writes && !objects.keys.contains { $0.hasSuffix("manifest.json") })
        let before = try bucket.writes()
        _ = try exported.manifest(to: exported.local)
        let files = try exported.files()
        try #require(files.count > writes)
        _ = try exported.manifest(to: Bucket.url, environment: bucket.environment())
        #expect(try bucket.objects(below: "exports") == files)
        // Files that are there are not uploaded again; the plan and the checkpoint are tried once more.
        #expect(try bucket.writes() - before == Int64(files.count - writes + min(writes, 2)))
    }

    @Test(arguments: [0, 1, 3])
    func `have no manifest while the server is away, and are completed by the next run`(_ writes: Int) async throws {
        try await Self.withLedger { exported, bucket in
            try bucket.cut(after: writes)
            let run = try exported.run(to: Bucket.url, environment: bucket.environment())
            #expect(run.ending == .exited(3) && run.errors.contains("\"object_storage_unavailable\""))
            #expect(!run.errors.contains(Bucket.secret))
            try bucket.resume()
            try Self.requireCompletion(of: exported, in: bucket, after: writes)
        }
    }

    @Test func `have no manifest when the command is killed, and are completed by the next run`() async throws {
        try await Self.withLedger { exported, bucket in
            try bucket.hold(after: 2)
            let child = try ChildProcess(
                "subledger", exported.arguments(Bucket.url, []), environment: bucket.environment())
            let deadline = ContinuousClock.now + ChildProcess.patience
            while try bucket.writes() < 2, .now < deadline { usleep(10_000) }
            #expect(child.end(by: SIGKILL) == .signalled(SIGKILL))
            try bucket.resume()
            try Self.requireCompletion(of: exported, in: bucket, after: 2)
        }
    }

    @Test func `are complete where answers are lost`() async throws {
        try await Self.withLedger { exported, bucket in
            // Those to the plan, twice: the second one says that there is a plan.
            try bucket.lose(answers: 2)
            let manifest = try exported.manifest(to: Bucket.url, ["events"], environment: bucket.environment())
            #expect(manifest.hasPrefix(Bucket.url))
            #expect(try bucket.objects().count == 4, "plan, checkpoint, rows and manifest")
        }
    }

    @Test func `do not mix with an export of another plan`() async throws {
        try await Self.withLedger { exported, bucket in
            let local = try exported.manifest(to: exported.local)
            let name = try #require(local.split(separator: "/").dropLast().last)
            try bucket.put("{}", as: "exports/\(name)/plan.json")
            let run = try exported.run(to: Bucket.url, environment: bucket.environment())
            #expect(run.ending == .exited(3) && run.errors.contains("\(name)/plan.json belongs to another export"))
            #expect(try bucket.objects().count == 1)
        }
    }

    @Test func `are refused with a wrong secret, which no output has`() async throws {
        try await Self.withLedger { exported, bucket in
            let secret = "wrong/secret+0123456789"
            let run = try exported.run(to: Bucket.url, environment: bucket.environment(secret: secret))
            #expect(run.ending == .exited(1) && run.output.isEmpty)
            #expect(run.errors.contains("\"object_storage_refused\"") && run.errors.contains("SignatureDoesNotMatch"))
            #expect(!run.errors.contains(secret) && !run.errors.contains("Signature="))
            #expect(try bucket.objects().isEmpty)
        }
    }

    @Test(
        arguments: [
            ("AWS_ACCESS_KEY_ID", "", "the variable AWS_ACCESS_KEY_ID"),
            ("AWS_SECRET_ACCESS_KEY", "", "the variable AWS_SECRET_ACCESS_KEY"),
            ("AWS_ENDPOINT_URL_S3", "localhost:9000", "invalid AWS_ENDPOINT_URL_S3"),
            ("AWS_ENDPOINT_URL_S3", "", "the variable AWS_REGION"),
        ])
    func `need an environment that gives access`(_ name: String, _ value: String, _ message: String) async throws {
        try await Self.withLedger { exported, bucket in
            var environment = bucket.environment()
            for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL"] { environment[name] = "" }
            environment[name] = value
            let run = try exported.run(to: Bucket.url, environment: environment)
            #expect(run.ending == .exited(2) && run.errors.contains(message), "\(run.errors)")
        }
    }

    @Test func `need the name of a bucket`() async throws {
        try await Self.withLedger { exported, bucket in
            let run = try exported.run(to: "s3://Not_A_Bucket", environment: bucket.environment())
            #expect(run.ending == .exited(2) && run.errors.contains("s3://BUCKET/PREFIX"))
        }
    }

    @Test func `continue an export in the bucket`() async throws {
        try await Self.withLedger { exported, bucket in
            let environment = bucket.environment()
            let earlier = ["--as-of", exported.earlier, "--known-at", "10"]
            let local = try exported.manifest(to: exported.local, earlier)
            let base = try exported.manifest(to: Bucket.url, earlier, environment: environment)
            _ = try exported.manifest(to: exported.local, ["--since", local])
            #expect(try exported.manifest(to: Bucket.url, ["--since", base], environment: environment) != base)
            #expect(try bucket.objects(below: "exports") == exported.files())
            let absent = try exported.run(
                to: Bucket.url, ["--since", Bucket.url + "/none/manifest.json"], environment: environment)
            #expect(absent.ending == .exited(1) && absent.errors.contains("export_gap"))
        }
    }

    @Test func `have large files in parts, of which none stays behind`() async throws {
        let bucket = try Bucket()
        var configuration = try bucket.configuration()
        configuration.attempts = 1
        let transport = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: S3Bucket.transportConfiguration)
        let client = S3Bucket(configuration, transport: transport)
        let bytes = (0..<(20 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let digest = Digest.sha256(of: bytes)
        try await client.upload(byteCount: bytes.count, sha256: digest, as: "ä b+c/large") { Array(bytes[$0]) }
        #expect(try bucket.objects() == ["ä b+c/large": digest.hex] && bucket.writes() == 5)
        #expect(try await client.head("ä b+c/large") == S3Object(byteCount: 20 << 20, sha256: digest))
        await #expect(throws: CancellationError.self) {
            try await client.upload(byteCount: bytes.count, sha256: digest, as: "other") { range in
                guard range.lowerBound == 0 else { throw CancellationError() }
                return Array(bytes[range])
            }
        }
        #expect(try bucket.objects().count == 1 && bucket.unfinishedUploads() == 0)
        try await transport.shutdown()
    }
}

import AppStoreModel
import AppStoreVerification
import FoundationEssentials
import Ingestion
import LedgerTesting
import Primitives
import Testing

/// Data from the real App Store and from Apple's own libraries, with fixed outcomes.
@Suite("Conformance")
struct ConformanceTests {
    struct Case: Sendable {
        /// The prefix of the file's name, without its folder.
        let prefix: String
        var bundleId: String?
        var environment: Environment?
        var root: String?
        var appAppleId: Int64?
        var kind: ArtifactKind?
        /// The code of the refusal; nil if the file must be accepted.
        var code: String?
    }

    static let cases: [Case] = [
        Case(prefix: "session-", bundleId: "com.loki-project.loki-messenger", environment: .sandbox),
        Case(prefix: "aporat-test-notification-2022", bundleId: "com.Abilities", environment: .sandbox),
        Case(prefix: "asl-testNotification", bundleId: "com.example", environment: .sandbox, root: "testCA"),
        Case(
            prefix: "asl-testNotification", bundleId: "com.example", environment: .production, root: "testCA",
            appAppleId: 1, code: "app_apple_id_mismatch"),
        Case(
            prefix: "asl-renewalInfo", bundleId: "com.example", environment: .sandbox, root: "testCA",
            kind: .renewalInfo),
        Case(prefix: "asl-transactionInfo", bundleId: "com.example", environment: .sandbox, root: "testCA"),
        Case(
            prefix: "asl-transactionInfo", bundleId: "com.example.x", environment: .sandbox, root: "testCA",
            code: "bundle_mismatch"),
        Case(
            prefix: "asl-wrongBundleId", bundleId: "com.example", environment: .sandbox, root: "testCA",
            code: "bundle_mismatch"),
        Case(
            prefix: "asl-missingX5CHeaderClaim", bundleId: "com.example", environment: .sandbox, root: "testCA",
            code: "certificate_count"),
        Case(prefix: "asl-xcode-", code: "environment_refused"),
        Case(prefix: "testca-transaction.", bundleId: "com.example.app", root: "testca-jws-root"),
        Case(prefix: "testca-app-transaction", bundleId: "com.example.app", root: "testca-jws-root"),
        Case(prefix: "testca-expired-cert-historical", bundleId: "com.example.app", root: "testca-jws-expired-root"),
        Case(
            prefix: "testca-transaction-no-leaf-oid", bundleId: "com.example.app",
            root: "testca-jws-no-leaf-oid-root", code: "marker_missing_leaf"),
        Case(
            prefix: "negative-mimo-AlgParameterIsUnsupported", bundleId: "com.example", root: "testCA",
            code: "algorithm_unsupported"),
        Case(
            prefix: "negative-mimo-InvalidSignature", bundleId: "com.example.subdomain", root: "testCA",
            code: "signature_invalid"),
        Case(
            prefix: "negative-mimo-JWSIsMissingAPart", bundleId: "com.example", root: "testCA", code: "jws_malformed"),
    ]

    /// The day after the newest of the files was collected: 2026-11-21.
    static let now = Instant(milliseconds: 1_795_219_200_000)

    @Test func `every signed file has the outcome fixed for it`() async throws {
        guard let folder = TestEnvironment.fixtures else {
            print("fixtures: absent")
            return
        }
        let manifest = try JSONDocument(parsing: Self.bytes(folder, "MANIFEST.json")).root
        var checked = 0
        for entry in try #require(manifest["entries"]?.elements) {
            let kind = try #require(entry["kind"]?.string)
            guard kind.hasPrefix("jws-") || kind == "notification-v2-body" else { continue }
            let file = try #require(entry["file"]?.string)
            let name = file.split(separator: "/").last.map(String.init) ?? file
            let cases = Self.cases.filter { name.hasPrefix($0.prefix) }
            #expect(!cases.isEmpty, "no outcome is fixed for \(file)")
            for expected in cases {
                let result = try await Self.verify(file, in: folder, expected)
                #expect(result.refusal?.code.rawValue == expected.code, "\(file): \(result.refusal.debugDescription)")
                guard let artifact = try? result.get() else { continue }
                try Self.expectContent(of: artifact, toBe: entry, file)
            }
            checked += 1
        }
        print("fixtures: \(checked) checked")
    }

    private static func verify(
        _ file: String, in folder: String, _ expected: Case
    ) async throws -> Result<SignedArtifact, Refusal> {
        var trust = TrustPolicy()
        if let bundleId = expected.bundleId {
            trust.apps = [TrustPolicy.App(bundleId: bundleId, appAppleId: expected.appAppleId)]
        }
        if let environment = expected.environment { trust.environments = [environment] }
        if let root = expected.root {
            trust.configuredRoots = [try ConfiguredRoot(file: bytes(folder, "certs/\(root).der"))]
        }
        let found = ArtifactFile.artifacts(in: try bytes(folder, file), file: file)[0]
        let content = try found.content.get()
        return await SignedDataVerifier(trust: trust)
            .verify(content.artifact, as: expected.kind ?? content.kind, now: now)
    }

    /// Compares the claims with the manifest, which lists those that an independent decoder found and the values of
    /// plain ones.
    private static func expectContent(of artifact: SignedArtifact, toBe entry: JSONView, _ file: String) throws {
        let payload = try #require(artifact.jws).payload.root
        if let keys = entry["measured"]?["payload_keys"]?.elements?.compactMap(\.string) {
            #expect(payload.members.map(\.key).sorted() == keys.sorted(), "\(file)")
        }
        for (key, value) in entry["measured"]?["decoded"]?.members ?? [] {
            let found = payload.members.first { $0.key == key }?.value
            #expect(found?.string == value.string, "\(key) of \(file)")
            #expect(found?.numberText == value.numberText, "\(key) of \(file)")
        }
    }

    private static func bytes(_ folder: String, _ file: String) throws -> [UInt8] {
        try Array(#require(FileManager.default.contents(atPath: "\(folder)/\(file)"), "\(file) is not there"))
    }
}

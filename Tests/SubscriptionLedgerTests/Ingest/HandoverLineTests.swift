import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Ingestion
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite("The lines of a handed-over ingest") struct HandoverLineTests {
    private static func read(_ value: JSONValue) throws -> JSONView {
        try JSONDocument(parsing: Array(value.serialized().utf8)).root
    }

    private static let refusal = Refusal(
        .nestedMismatch, "reason", expected: "expected", found: String(repeating: "f", count: 200), part: "part")

    private static let found: [FoundArtifact] = [
        FoundArtifact(file: "a/\"b\":1", content: .success(.init(artifact: [0, 255, 10, 34], kind: nil))),
        FoundArtifact(file: "", source: .http, content: .success(.init(artifact: [], kind: .renewalInfo))),
        FoundArtifact(file: "ü", source: .poll, content: .failure(refusal)),
        FoundArtifact(file: "b", content: .failure(Refusal(.kindUnknown, "reason"))),
    ]

    @Test(arguments: found) func `an artifact is read as it was written`(artifact: FoundArtifact) throws {
        let read = try FoundArtifact(Self.read(artifact.json))
        #expect(read.file == artifact.file && read.source == artifact.source)
        switch (read.content, artifact.content) {
        case (.success(let read), .success(let written)):
            #expect(read.artifact == written.artifact && read.kind == written.kind)
        case (.failure(let read), .failure(let written)): #expect(read == written)
        default: Issue.record("\(read) instead of \(artifact)")
        }
    }

    @Test func `the options are read as they were written`() throws {
        let root = try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)
        let trust = TrustPolicy(
            apps: [
                TrustPolicy.App(bundleId: "a"),
                TrustPolicy.App(bundleId: "b", appAppleId: 7, environments: [.xcode, .sandbox]),
                TrustPolicy.App(bundleId: "c", environments: []),
            ], environments: [.production], configuredRoots: [root],
            deniedCertificates: [.init(fingerprint: root.fingerprint, from: Instant(milliseconds: 5))])
        let read = try IngestRequest(Self.read(IngestRequest(trust: trust, customerId: "alice").json))
        #expect(read.customerId == "alice")
        #expect(read.trust.apps == trust.apps && read.trust.environments == trust.environments)
        #expect(read.trust.configuredRoots.map(\.fingerprint) == [root.fingerprint])
        #expect(read.trust.deniedCertificates == trust.deniedCertificates)
        let empty = try IngestRequest(Self.read(IngestRequest(trust: TrustPolicy(), customerId: nil).json))
        #expect(empty.customerId == nil && empty.trust.apps.isEmpty && empty.trust.configuredRoots.isEmpty)
    }

    @Test(arguments: ["{}", "[]", #"{"file":"a"}"#, #"{"file":"a","source":"file","jws":"?"}"#])
    func `a line of another form is refused`(text: String) throws {
        let line = try JSONDocument(parsing: Array(text.utf8)).root
        #expect(throws: StorageError(.versionUnknown, "")) { try FoundArtifact(line) }
        #expect(throws: StorageError(.versionUnknown, "")) { try IngestPipeline.Result(line) }
        #expect(throws: StorageError(.versionUnknown, "")) { try IngestRequest(line) }
    }
}

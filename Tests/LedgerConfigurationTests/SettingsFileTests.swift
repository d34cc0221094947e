import FoundationEssentials
import LedgerConfiguration
import LedgerStorage
import Testing

@Suite struct SettingsFileTests {
    @Test func `paths are relative to the folder of the file`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "subledger.yaml").path
        let access = "{issuerId: i, keyId: k, keyFile: k.p8}"
        let text = "{data: here, trust: {roots: [a.der, /b.der]}, apps: [{bundleId: b, serverAPI: \(access)}]}"
        try Data(text.utf8).write(to: URL(filePath: file))
        let settings = try Settings(file: file)
        #expect(settings.data == folder.path + "/here")
        #expect(settings.trustRoots == [folder.path + "/a.der", "/b.der"])
        #expect(settings.apps.first?.serverAPI?.keyFile == folder.path + "/k.p8")
    }

    @Test func `a file that is not there is an input failure`() {
        #expect(throws: InputFailure.self) { try Settings(file: "/nonexistent/subledger.yaml") }
    }
}

import AppStoreSimulation
import FoundationEssentials
import Glibc
import LedgerStorage
import Testing

@Suite("The control socket") struct ControlSocketTests {
    private let files: SignedFiles

    init() throws { files = try SignedFiles() }

    private var socket: String { DataFolder(path: files.data).controlSocket }

    private static func attributes(_ path: String) -> [FileAttributeKey: Any]? {
        try? FileManager.default.attributesOfItem(atPath: path)
    }

    private func ingest(_ id: String, data: String) throws -> Subledger {
        let archive = try files.archive("\(id).jsonl", [SignedFiles.transaction(id).text])
        return try Subledger(["ingest", archive, "--data", data, "--format", "json"] + files.trust)
    }

    @Test func `belongs to the owner alone, and ends with the service`() async throws {
        try await blocking {
            let service = try Service(files.data)
            let attributes = try #require(Self.attributes(socket))
            #expect(attributes[.type] as? FileAttributeType == .typeSocket)
            #expect(attributes[.posixPermissions] as? UInt16 == 0o600)
            try service.stop()
            #expect(Self.attributes(socket) == nil)
        }
    }

    @Test func `of a killed service is not in the way of commands or of the next service`() async throws {
        try await blocking {
            #expect(try Service(files.data).child.end(by: SIGKILL) == .signalled(SIGKILL))
            #expect(Self.attributes(socket) != nil)
            #expect(try ingest("1", data: files.data).ending == .exited(0))
            let service = try Service(files.data)
            #expect(try ingest("2", data: files.data).ending == .exited(0))
            try service.stop()
            #expect(Self.attributes(socket) == nil)
        }
    }

    @Test func `leaves a second service locked out, which names the first`() async throws {
        try await blocking {
            let service = try Service(files.data)
            let second = try Subledger(["serve", "--data", files.data, "--port", "0", "--format", "json"])
            #expect(second.ending == .exited(3))
            #expect(second.errors.contains(#""code":"locked""#), "\(second.errors)")
            #expect(second.errors.contains("process \(service.child.pid)"), "\(second.errors)")
            #expect(try ingest("1", data: files.data).ending == .exited(0))
            try service.stop()
        }
    }

    @Test func `works in a folder whose path is too long for an address`() async throws {
        try await blocking {
            let data = files.path(String(repeating: "long", count: 30))
            let service = try Service(data)
            let run = try ingest("1", data: data)
            #expect(run.ending == .exited(0), "\(run.errors)")
            try service.stop()
        }
    }
}

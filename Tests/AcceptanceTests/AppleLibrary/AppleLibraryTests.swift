import LedgerTesting
import Primitives
import Testing

@Suite struct `Apple's library for Python` {
    @Test func `works against the simulated App Store with only its base URL changed`() throws {
        let folder = try TemporaryFolder()
        let lines = try Python.lines(
            Python.path(of: "exercise.py", beside: #filePath),
            [try ChildProcess.folder() + "/appstore-simulator", folder.path])
        let counts = try JSONDocument(parsing: Array((lines.last ?? "").utf8)).root
        print("Apple's library:", lines.last ?? "")
        func count(_ name: StaticString) -> Int64 { counts[name]?.integer ?? 0 }
        #expect(count("statuses") > 100 && count("historyPages") > 80 && count("longHistories") > 0)
        #expect(count("notifications") > 1_000 && count("notificationPages") > 10 && count("retried") > 10)
        #expect(count("refunds") > 5 && count("refusals") == 3 && count("extended") > 5)
    }

    @Test func `signs offers as the ledger does, under one key`() async throws {
        try await blocking {
            let folder = try TemporaryFolder()
            let binaries = try ChildProcess.folder()
            let lines = try Python.lines(
                Python.path(of: "signatures.py", beside: #filePath),
                [binaries + "/appstore-simulator", binaries + "/subledger", folder.path])
            let counts = try JSONDocument(parsing: Array((lines.last ?? "").utf8)).root
            print("Apple's signatures:", lines.last ?? "")
            func count(_ name: StaticString) -> Int64 { counts[name]?.integer ?? 0 }
            #expect(count("promotional") > 40 && count("introductory") > 3 && count("ineligible") > 10)
        }
    }
}

import EventLog
import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing
import TransparencyLog

@Suite struct CheckpointRouteTests {
    @Test func `it is a note that the log's key has signed over the head`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        let head = try test.ledger.reader.log.head()
        let verifier = try test.ledger.reader.checkpointVerifier()
        try await test.calls { client in
            let answer = try await test.checkpoint(client)
            #expect(answer.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(answer.headers[.cacheControl] == "max-age=1")
            let checkpoint = try Checkpoint(note: SignedNote(bytes: answer.bytes), verifier: verifier)
            #expect(checkpoint == Checkpoint(origin: test.ledger.reader.log.origin, size: head.size, root: head.root))
        }
    }

    @Test func `what is served lies in the folder`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        let path = test.ledger.configuration.folder.checkpoint
        try await test.calls { client in
            let served = try await test.checkpoint(client).bytes
            #expect(FileManager.default.contents(atPath: path).map { Array($0) } == served)
        }
    }

    @Test func `it is signed anew at most once a second`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append([notifications[0]])
        try await test.calls { client in
            let first = try await test.checkpoint(client).bytes
            try await test.append([notifications[1]])
            #expect(try await client.get("/checkpoint").bytes == first)
            test.time.advance(by: .milliseconds(999))
            #expect(try await client.get("/checkpoint").bytes == first)
            test.time.advance(by: .milliseconds(1))
            let second = try TileRouteTests.checkpoint(in: await client.get("/checkpoint"))
            #expect(second.size == 2)
        }
    }

    @Test func `an empty log has a checkpoint too`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            let checkpoint = try TileRouteTests.checkpoint(in: await test.checkpoint(client))
            #expect(checkpoint.size == 0)
            #expect(checkpoint.root.hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        }
    }
}

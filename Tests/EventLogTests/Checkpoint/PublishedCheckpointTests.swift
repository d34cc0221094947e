import EventLog
import FoundationEssentials
import LedgerStorage
import Primitives
import Testing
import TransparencyLog

@Suite struct `The published checkpoint` {
    private static func signer(_ log: LogWriter, _ setup: LogUnderTest) throws -> NoteSigner {
        try CheckpointKey.loadOrMake(in: setup.folder, origin: log.reader.origin)
    }

    private static let later = ContinuousClock.now + .seconds(60)

    @Test func `is in the folder before anybody gets it, signed by the log`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let signer = try Self.signer(log, setup)
            let published = try PublishedCheckpoint(of: log.reader, in: setup.folder, signer: signer)
            #expect(
                published.current.checkpoint
                    == Checkpoint(origin: log.reader.origin, size: 0, root: MerkleTree.emptyRoot))
            for size in 1...3 {
                try await log.append([.sample("\(size)")])
                let note = try published.renewed(at: Self.later + .seconds(size))
                let head = try log.head()
                #expect(note.checkpoint == Checkpoint(origin: log.reader.origin, size: UInt64(size), root: head.root))
                let read = try Checkpoint(note: SignedNote(bytes: note.bytes), verifier: signer.verifier)
                #expect(read == note.checkpoint)
                #expect(FileManager.default.contents(atPath: setup.folder.checkpoint).map { Array($0) } == note.bytes)
                #expect(published.current.bytes == note.bytes)
            }
        }
    }

    @Test func `is signed again only for a new head, and at most once a second`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let published = try PublishedCheckpoint(of: log.reader, in: setup.folder, signer: Self.signer(log, setup))
            try await log.append([.sample("a")])
            #expect(try published.renewed(at: Self.later).checkpoint.size == 1)
            let bytes = published.current.bytes
            #expect(try published.renewed(at: Self.later + .seconds(100)).bytes == bytes)
            try await log.append([.sample("b")])
            #expect(try published.renewed(at: Self.later + .seconds(100)).checkpoint.size == 2)
            try await log.append([.sample("c")])
            #expect(try published.renewed(at: Self.later + .milliseconds(100_999)).checkpoint.size == 2)
            #expect(try published.renewed(at: Self.later + .seconds(101)).checkpoint.size == 3)
        }
    }

    @Test func `goes on where it was when the log is opened again`() async throws {
        let setup = try LogUnderTest()
        let bytes = try await setup.writing { log in
            let published = try PublishedCheckpoint(of: log.reader, in: setup.folder, signer: Self.signer(log, setup))
            try await log.append((0..<300).map { .sample("\($0)") })
            return try published.renewed(at: Self.later).bytes
        }
        try await setup.writing { log in
            try await log.append([.sample("more")])
            let published = try PublishedCheckpoint(of: log.reader, in: setup.folder, signer: Self.signer(log, setup))
            #expect(published.current.bytes == bytes)
        }
    }

    @Test func `refuses a log that is shorter than it`() async throws {
        let setup = try LogUnderTest()
        let copy: LogUnderTest = try await setup.writing { log in
            _ = try Self.signer(log, setup)
            try await log.append([.sample("a")])
            return setup
        }
        let old = try LogUnderTest(copying: copy)
        try await setup.writing { log in
            try await log.append([.sample("b")])
            let published = try PublishedCheckpoint(of: log.reader, in: setup.folder, signer: Self.signer(log, setup))
            #expect(published.current.checkpoint.size == 2)
        }
        // A restored backup of the log beside the newer checkpoint.
        try FileManager.default.copyItem(atPath: setup.folder.checkpoint, toPath: old.folder.checkpoint)
        try await old.writing { log in
            let error = #expect(throws: StorageError.self) {
                _ = try PublishedCheckpoint(of: log.reader, in: old.folder, signer: Self.signer(log, old))
            }
            #expect(error?.code == .logCorrupt)
        }
    }

    @Test func `refuses a log that begins with other events`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            let signer = try Self.signer(log, setup)
            try await log.append([.sample("a"), .sample("b")])
            let other = Checkpoint(origin: log.reader.origin, size: 2, root: .sha256(of: [1]))
            try Data(signer.sign(other.text).bytes).write(to: URL(filePath: setup.folder.checkpoint))
            let error = #expect(throws: StorageError.self) {
                _ = try PublishedCheckpoint(of: log.reader, in: setup.folder, signer: signer)
            }
            #expect(error?.code == .logCorrupt)
        }
    }

    @Test(arguments: ["", "no note", "a\n1\nAAAA\n\n— a AAAAAAAA\n"])
    func `refuses a file that the log has not signed`(_ text: String) async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            try Data(text.utf8).write(to: URL(filePath: setup.folder.checkpoint))
            let error = #expect(throws: StorageError.self) {
                _ = try PublishedCheckpoint(of: log.reader, in: setup.folder, signer: Self.signer(log, setup))
            }
            #expect(error?.code == .logCorrupt)
        }
    }
}

@Suite struct `The heads of a log` {
    @Test func `are told when they move, the newest to who is slow`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            var heads = log.heads().makeAsyncIterator()
            try await log.append([.sample("a")])
            #expect(await heads.next()?.size == 1)
            for key in ["b", "c", "d"] { try await log.append([.sample(key)]) }
            #expect(await heads.next() == (try log.head()))
        }
    }

    @Test func `are notified after the observers have the events`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            var heads = log.heads().makeAsyncIterator()
            let append = log.offer([.sample("a")])
            #expect(await heads.next()?.size == 1)
            #expect(setup.observer.events.count == 1)
            _ = try await append.value
        }
    }

    @Test func `observers of the head can be cancelled while heads are published`() async throws {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            for round in 0..<200 {
                let observers = (0..<8).map { _ in Task { for await _ in log.heads() {} } }
                async let appended = log.append([.sample("\(round)")])
                for observer in observers { observer.cancel() }
                // A lock that an observer's end and a publication took in opposite orders would hold both for ever.
                _ = try await appended
                for observer in observers { await observer.value }
            }
        }
    }
}

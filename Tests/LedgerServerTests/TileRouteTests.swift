import AppStoreSimulation
import EventLog
import HTTPTypes
import HummingbirdTesting
import Primitives
import SubscriptionLedger
import Testing
import TransparencyLog

@Suite struct TileRouteTests {
    private static let size: UInt64 = 300

    /// A ledger of 300 events. Its tree has a full and a partial tile of level 0, and a partial tile of level 1.
    private static func published() async throws -> TestLedger {
        let test = try TestLedger()
        let events = try await withThrowingTaskGroup(of: (Int, CheckedArtifact).self) { group in
            let notifications = BulkNotifications(count: Int(size))
            for index in notifications.indices {
                group.addTask {
                    (index, await test.ledger.check(notifications[index].jws.compact, source: .file))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let ordered = events.sorted { $0.0 < $1.0 }.map(\.1)
        _ = try await test.ledger.append(ordered, source: .file)
        return test
    }

    @Test func `the root follows from the tiles, and every entry has its hash`() async throws {
        let test = try await Self.published()
        try await test.calls { client in
            let checkpoint = try Self.checkpoint(in: await test.checkpoint(client))
            let full = try await Self.hashes(client, "/tile/0/000")
            let partial = try await Self.hashes(client, "/tile/0/001.p/44")
            let above = try await Self.hashes(client, "/tile/1/000.p/1")
            #expect(full.count == 256 && partial.count == 44)
            #expect(above == [Self.root(full)])
            #expect(Self.root(full + partial) == checkpoint.root)

            let bundles = [("/tile/entries/000", full), ("/tile/entries/001.p/44", partial)]
            for (uri, hashes) in bundles {
                let bundle = try await client.get(uri).bytes
                let entries = try EntryBundle.entries(in: bundle, count: hashes.count)
                #expect(entries.map { Digest.sha256(of: [0] + $0) } == hashes)
            }
        }
    }

    static func checkpoint(in answer: TestResponse) throws -> Checkpoint {
        let lines = answer.text.split(separator: "\n", omittingEmptySubsequences: false)
        return try Checkpoint(text: lines.prefix(3).map { $0 + "\n" }.joined())
    }

    /// A separate implementation of RFC 6962 §2.1.
    private static func root(_ hashes: [Digest]) -> Digest {
        guard hashes.count > 1 else { return hashes[0] }
        var left = 1
        while left * 2 < hashes.count { left *= 2 }
        return .sha256(of: [1] + root(Array(hashes[..<left])).bytes + root(Array(hashes[left...])).bytes)
    }

    private static func hashes(_ client: any TestClientProtocol, _ uri: String) async throws -> [Digest] {
        let answer = try await client.get(uri)
        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == "application/octet-stream")
        #expect(answer.headers[.cacheControl] == "private, max-age=31536000, immutable")
        let bytes = answer.bytes
        #expect(bytes.count.isMultiple(of: 32))
        return stride(from: 0, to: bytes.count, by: 32).compactMap { Digest(bytes: Array(bytes[$0...].prefix(32))) }
    }

    @Test func `a narrower partial tile is a prefix of the wider`() async throws {
        let test = try await Self.published()
        try await test.calls { client in
            _ = try await test.checkpoint(client)
            let widest = try await client.get("/tile/0/001.p/44").bytes
            for width in [1, 2, 43] {
                #expect(try await client.get("/tile/0/001.p/\(width)").bytes == Array(widest.prefix(32 * width)))
            }
            let full = try await client.get("/tile/0/000").bytes
            #expect(try await client.get("/tile/0/000.p/255").bytes == Array(full.prefix(32 * 255)))
        }
    }

    @Test(
        arguments: [
            "/tile/0/001", "/tile/0/001.p/45", "/tile/0/002.p/1", "/tile/1/000", "/tile/1/000.p/2", "/tile/2/000.p/1",
            "/tile/0/000.p/0", "/tile/0/000.p/256", "/tile/0/0", "/tile/00/000", "/tile/0/x000/001", "/tile/64/000",
            "/tile/entries/001", "/tile/entries/001.p/45", "/tile/entries/002.p/1", "/tile/-1/000", "/tile/0",
            "/tile/0/000/", "/tile/0//000", "/tile/0/000.p/01", "/tile/0/%30%30%30", "/tile/x",
        ])
    func `what the published tree does not have is not there`(_ path: String) async throws {
        let test = try await Self.published()
        try await test.calls { client in
            _ = try await test.checkpoint(client)
            try await client.get(path).expectProblem("not_found", .notFound)
        }
    }

    @Test func `nothing beyond the published checkpoint is served`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append(Array(notifications[..<2]))
        try await test.calls { client in
            // The checkpoint signed at the start covers the tree without events.
            try await client.get("/tile/0/000.p/1").expectProblem("not_found", .notFound)
            _ = try await test.checkpoint(client)
            #expect(try await client.get("/tile/0/000.p/2").status == .ok)
            try await test.append([notifications[2]])
            try await client.get("/tile/0/000.p/3").expectProblem("not_found", .notFound)
            try await client.get("/tile/entries/000.p/3").expectProblem("not_found", .notFound)
            _ = try await test.checkpoint(client)
            #expect(try await client.get("/tile/0/000.p/3").status == .ok)
        }
    }

    @Test func `public tiles need no key and say so to caches`() async throws {
        let test = try TestLedger(keys: TestKey.all, publicTiles: true)
        try await test.append(Array(Sample.notifications()[..<1]))
        try await test.calls { client in
            _ = try await test.checkpoint(client)
            let tile = try await client.get("/tile/0/000.p/1")
            #expect(tile.status == .ok)
            #expect(tile.headers[.cacheControl] == "public, max-age=31536000, immutable")
        }
    }
}

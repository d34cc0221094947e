import FoundationEssentials
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

@Suite struct `The quarantine` {
    private let note = JSONValue.object(["code": .string("chain_untrusted"), "refusedAt": .string("2026-01-15")])

    private func limits(items: Int = 10, bytes: Int = 10_000) -> Quarantine.Limits {
        var limits = Quarantine.Limits()
        limits.items = items
        limits.bytes = bytes
        return limits
    }

    @Test func `keeps an artifact once, under its digest, with the first reason in front`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let quarantine = try Quarantine(folder: folder, limits: limits())
        let artifact: [UInt8] = Array("a.b.c".utf8) + [0, 255, 10]
        #expect(try quarantine.keep(artifact, note: note))
        let size = try quarantine.size()
        #expect(try quarantine.keep(artifact, note: .object(["code": .string("signature_invalid")])))
        #expect(try quarantine.size() == size && size.items == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.quarantine) == [Digest.sha256(of: artifact).hex])
        let file = try AtomicFile.read("\(folder.quarantine)/\(Digest.sha256(of: artifact).hex)", limit: 1_000)
        #expect(file == Array(#"{"code":"chain_untrusted","refusedAt":"2026-01-15"}"#.utf8) + [10] + artifact)
        #expect(size.bytes == file?.count)
        #expect(try Quarantine.measure(folder.quarantine) == size)
    }

    @Test func `is bounded in items, and keeps what it has`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let quarantine = try Quarantine(folder: folder, limits: limits(items: 3))
        let kept = try (0..<5).map { try quarantine.keep([UInt8($0)], note: note) }
        #expect(kept == [true, true, true, false, false])
        #expect(try quarantine.keep([1], note: note))
        // The limit also applies to the items that exist when it is opened.
        let opened = try Quarantine(folder: folder, limits: limits(items: 3))
        #expect(try opened.size() == quarantine.size() && opened.size().items == 3)
        #expect(try !opened.keep([7], note: note))
        #expect(try Quarantine(folder: folder, limits: limits(items: 4)).keep([7], note: note))
    }

    @Test func `is bounded in bytes, notes and all`() throws {
        let temporary = try TemporaryFolder()
        let quarantine = try Quarantine(folder: try temporary.data(), limits: limits(bytes: 300))
        // A note and its newline add 51 bytes per item.
        #expect(try quarantine.keep([UInt8](repeating: 1, count: 200), note: note))
        #expect(try !quarantine.keep([UInt8](repeating: 2, count: 200), note: note))
        #expect(try !quarantine.keep([], note: .object(["long": .string(String(repeating: "x", count: 60))])))
        #expect(try quarantine.size().items == 1 && quarantine.size().bytes <= 300)
    }

    @Test func `counts an artifact once that many bring at once`() async throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let quarantine = try Quarantine(folder: folder, limits: limits())
        let note = note
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let kept = try? quarantine.keep([UInt8(number % 4)], note: note)
                    #expect(kept == true)
                }
            }
        }
        #expect(try quarantine.size().items == 4)
        #expect(try Quarantine.measure(folder.quarantine) == quarantine.size())
    }

    @Test func `gives back what it keeps, and what was noted`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let quarantine = try Quarantine(folder: folder, limits: limits())
        let artifact: [UInt8] = Array("a.b.c\n".utf8) + [0, 255, 10]
        #expect(try quarantine.keep(artifact, note: .object(["code": .string("x"), "source": .string("http")])))
        #expect(try quarantine.keep([], note: .object(["code": .string("y")])))
        let digest = Digest.sha256(of: artifact).hex
        #expect(
            try Quarantine.digests(in: folder.quarantine) == [digest, Digest.sha256(of: [UInt8]()).hex].sorted())
        let item = try #require(try Quarantine.item(digest, in: folder.quarantine))
        #expect(item.digest == digest && item.artifact == artifact && item.source == .http)
        #expect(item.note?["code"]?.string == "x")
        let empty = try #require(try Quarantine.item(Digest.sha256(of: [UInt8]()).hex, in: folder.quarantine))
        #expect(empty.artifact.isEmpty && empty.source == .file && empty.note?["code"]?.string == "y")
        #expect(try Quarantine.item(Digest.sha256(of: [1]).hex, in: folder.quarantine) == nil)
    }

    @Test(arguments: [[], Array("no note".utf8), Array("{\nrest".utf8), [10], [255, 10, 1]] as [[UInt8]])
    func `has a file that was not written by it, too`(file: [UInt8]) throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        let name = String(repeating: "0", count: 64)
        try AtomicFile.write(file, to: "\(folder.quarantine)/\(name)")
        let item = try #require(try Quarantine.item(name, in: folder.quarantine))
        #expect(item.note == nil && item.artifact == Array(file.drop { $0 != 10 }.dropFirst()))
    }

    @Test func `has room again for what was dropped beside it`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.data()
        var limits = limits(items: 2)
        limits.countLifetime = .zero
        let quarantine = try Quarantine(folder: folder, limits: limits)
        for artifact in 0..<2 as Range<UInt8> { #expect(try quarantine.keep([artifact], note: note)) }
        #expect(try !quarantine.keep([2], note: note))
        let dropped = Digest.sha256(of: [0]).hex
        #expect(try Quarantine.drop([dropped, dropped], in: folder.quarantine) == 1)
        #expect(try Quarantine.item(dropped, in: folder.quarantine) == nil)
        #expect(try quarantine.size().items == 1)
        #expect(try quarantine.keep([2], note: note))
        #expect(try !quarantine.keep([0], note: note))
        #expect(try Quarantine.measure(folder.quarantine) == quarantine.size())
    }

    @Test func `without a folder is empty`() throws {
        let contents = try Quarantine.measure("/nonexistent/quarantine")
        #expect(contents.items == 0 && contents.bytes == 0)
    }
}

import FoundationEssentials
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import ProjectionRuntime
import Testing

@Suite struct ProjectionStoreTests {
    @Test func `a reader reads the old rows to their end while new ones replace them`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(200)
        let old = try world.builder().rebuild(logRoot: .zero)
        let reader = try #require(try world.store.open(old.projection, old.rulesDigest))
        var rows = try reader.next()?.count ?? 0

        try world.addEvents(200)
        let new = try world.builder().rebuild(logRoot: .zero)
        #expect(new.content.sha256 != old.content.sha256)

        while let next = try reader.next() { rows += next.count }
        #expect(rows == old.content.rows)
        #expect(try world.rows(new).count == new.content.rows)
    }

    @Test func `projections of other rules stay until they are dropped`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(50)
        var rules = Rules()
        rules.access.ownGraceDays = 3
        let (first, second) = (
            try world.builder().rebuild(logRoot: .zero), try world.builder(rules: rules).rebuild(logRoot: .zero)
        )
        #expect(try world.store.manifests().readable.count == 2)

        #expect(try world.store.drop(first.rulesDigest.hex) == [first.projection])
        #expect(try world.store.manifests().readable == [second])
        #expect(try world.store.manifest(first.projection, first.rulesDigest) == nil)
        #expect(try world.store.drop(first.rulesDigest.hex).isEmpty)
    }

    @Test func `the remains of a killed rebuild are removed by the next one`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(50)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        let target = "\(world.folder.projections)/\(manifest.projection)/\(manifest.rulesDigest.hex)"
        // Killed while it wrote runs, and after it moved its rows but before it wrote the manifest.
        for path in ["\(world.folder.projections)/building/run-0-0", "\(target)/rows-0000"] {
            try Data([1, 2, 3]).write(to: URL(filePath: path))
        }
        #expect(try world.rows(manifest).count == manifest.content.rows)

        #expect(try world.builder().rebuild(logRoot: .zero) == manifest)
        let files = FileManager.default
        #expect(try files.contentsOfDirectory(atPath: "\(world.folder.projections)/building").isEmpty)
        #expect(try files.contentsOfDirectory(atPath: target).count == 2)
    }

    @Test func `a changed byte in the rows is found at the latest at their end`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(60)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        let name = "rows-\(manifest.content.sha256.hex)"
        let path = "\(world.folder.projections)/\(manifest.projection)/\(manifest.rulesDigest.hex)/\(name)"
        let rows = try Data(contentsOf: URL(filePath: path))
        var random = SeededRandom()
        for _ in 0..<200 {
            var damaged = rows
            damaged[Int.random(in: 0..<rows.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            try damaged.write(to: URL(filePath: path))
            #expect(throws: StorageError.self) { try world.rows(manifest) }
        }
        // The digest is that of the file, as `sha256sum` prints it.
        #expect(Digest.sha256(of: rows) == manifest.content.sha256)
    }

    @Test func `an update of damaged or missing rows rebuilds them`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(200)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        let name = "rows-\(manifest.content.sha256.hex)"
        let path = "\(world.folder.projections)/\(manifest.projection)/\(manifest.rulesDigest.hex)/\(name)"
        var rows = try Data(contentsOf: URL(filePath: path))
        rows[rows.count / 2] ^= 1
        try rows.write(to: URL(filePath: path))
        #expect(try world.builder().update(logRoot: .zero, logRootBefore: .zero) == manifest)
        #expect(try world.rows(manifest).count == manifest.content.rows)

        try FileManager.default.removeItem(atPath: path)
        #expect(try world.builder().update(logRoot: .zero, logRootBefore: .zero) == manifest)
        #expect(try world.rows(manifest).count == manifest.content.rows)
    }

    @Test func `a second rebuild at the same time is refused`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(10)
        _ = try world.builder().rebuild(logRoot: .zero)
        let lock = try FolderLock(file: "\(world.folder.projections)/LOCK", refusal: "held by the test", hint: "")
        #expect(throws: StorageError(.locked, "")) { try world.builder().rebuild(logRoot: .zero) }
        withExtendedLifetime(lock) {}
    }

    @Test func `a build that began before another one ended is refused`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(10)
        let older = try world.builder()
        try world.addEvents(10)
        let newer = try world.builder().rebuild(logRoot: .zero)
        #expect(throws: StorageError(.locked, "")) { try older.rebuild(logRoot: .zero) }
        #expect(throws: StorageError(.locked, "")) { try older.update(logRoot: .zero, logRootBefore: .zero) }
        #expect(try world.store.manifests().readable == [newer])
    }

    @Test func `rows that no manifest names are removed before a build that fails`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(10)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        let orphans = [manifest.rulesDigest.hex, Digest.zero.hex].map {
            "\(world.folder.projections)/\(manifest.projection)/\($0)/rows-0000"
        }
        for path in orphans {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data([1, 2, 3]).write(to: URL(filePath: path))
        }
        let outdated = try world.builder()
        try world.addEvents(1)
        _ = try world.builder().rebuild(logRoot: .zero)
        #expect(throws: StorageError.self) { try outdated.rebuild(logRoot: .zero) }
        for path in orphans { #expect(!FileManager.default.fileExists(atPath: path)) }
    }

    @Test(arguments: [#""keys":-5"#, #""rows":-1"#, #""bytes":-1"#])
    func `a manifest with impossible counts is refused`(count: String) throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(10)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        let path = "\(world.folder.projections)/\(manifest.projection)/\(manifest.rulesDigest.hex)/manifest.json"
        let name = count.prefix { $0 != ":" }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacing(try Regex("\(name):[0-9]+"), with: count).write(
            toFile: path, atomically: true, encoding: .utf8)
        #expect(try world.store.manifests().unreadable.count == 1)
        #expect(try world.builder().update(logRoot: .zero, logRootBefore: .zero) == manifest)
    }

    @Test func `a manifest in the folder of other rules is refused`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(10)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        let folder = "\(world.folder.projections)/\(manifest.projection)"
        try FileManager.default.copyItem(
            atPath: "\(folder)/\(manifest.rulesDigest.hex)", toPath: "\(folder)/\(Digest.zero.hex)")
        let (readable, unreadable) = try world.store.manifests()
        #expect(readable == [manifest] && unreadable.count == 1)
    }

    @Test func `a length beyond the end of the rows is refused`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(10)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        let name = "rows-\(manifest.content.sha256.hex)"
        let path = "\(world.folder.projections)/\(manifest.projection)/\(manifest.rulesDigest.hex)/\(name)"
        var rows = try Data(contentsOf: URL(filePath: path))
        rows.replaceSubrange(4..<8, with: [0xF0, 0xFF, 0xFF, 0xFF])
        try rows.write(to: URL(filePath: path))
        #expect(throws: StorageError(.logCorrupt, "")) { try world.rows(manifest) }
    }

    @Test func `a manifest that another version wrote is refused with its path`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(10)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        let target = "\(world.folder.projections)/\(manifest.projection)/\(manifest.rulesDigest.hex)/manifest.json"
        try Data(#"{"schema":2}"#.utf8).write(to: URL(filePath: target))
        let (readable, unreadable) = try world.store.manifests()
        #expect(readable.isEmpty && unreadable.count == 1)
        #expect(unreadable.first?.diagnosis.message.contains(target) == true)
        // A rebuild replaces it.
        #expect(try world.builder().rebuild(logRoot: .zero) == manifest)
        #expect(try world.store.manifests().readable == [manifest])
    }
}

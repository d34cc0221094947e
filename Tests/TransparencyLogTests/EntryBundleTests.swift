import Primitives
import Testing
import TransparencyLog

@Suite struct `Entry bundles` {
    static func bundle(_ entries: some Sequence<[UInt8]>) throws -> [UInt8] {
        var bundle: [UInt8] = []
        for entry in entries { try EntryBundle.append(entry.span.bytes, to: &bundle) }
        return bundle
    }

    @Test func `entries stand after their lengths`() throws {
        let entries = ReferenceTree.entries.prefix(300)
        #expect(
            Hex.encode(try Self.bundle(entries.prefix(3))) == "0007656e74727920300007656e74727920310007656e7472792032")
        let full = try Self.bundle(entries.prefix(256))
        #expect(full.count == 2_706)
        #expect(Digest.sha256(of: full).hex == "c378282cb2167eb29f7e0c483ef2ce284728c12286469737cf8c3dc71e412ff1")
        let partial = try Self.bundle(entries.dropFirst(256))
        #expect(partial.count == 484)
        #expect(Digest.sha256(of: partial).hex == "a52dd94c9965926ebe9811d1a33f2b76f572262bd6e5ae115d8ec3779512ad46")
    }

    @Test func `entries of every length come back`() throws {
        let entries = [[], [1], [UInt8](repeating: 2, count: 256), [UInt8](repeating: 3, count: 65_535), []]
        let bundle = try Self.bundle(entries)
        #expect(try EntryBundle.entries(in: bundle, count: entries.count).map(Array.init) == entries)
        #expect(try EntryBundle.entries(in: [], count: 0).isEmpty)
    }

    @Test func `an entry of 65,536 bytes is refused`() {
        let error = #expect(throws: TreeError.self) { try Self.bundle([[UInt8](repeating: 0, count: 65_536)]) }
        #expect(error?.code == .entryBundleMalformed)
    }

    @Test func `a bundle that is cut short or holds another number of entries is refused`() throws {
        let bundle = try Self.bundle([[1, 2], [3]])
        for length in 0..<bundle.count {
            #expect(throws: TreeError.self) { try EntryBundle.entries(in: Array(bundle.prefix(length)), count: 2) }
        }
        for count in [-1, 0, 1, 3] {
            #expect(throws: TreeError.self) { try EntryBundle.entries(in: bundle, count: count) }
        }
        #expect(throws: TreeError.self) { try EntryBundle.entries(in: bundle + [0], count: 2) }
        #expect(throws: TreeError.self) { try EntryBundle.entries(in: bundle + [0, 0], count: 2) }
        #expect(throws: TreeError.self) { try EntryBundle.entries(in: [0xFF, 0xFF, 1], count: 1) }
    }
}

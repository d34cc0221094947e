import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct Tiles {
    @Test(
        arguments: [
            (0, []),
            (1, ["tile/0/000.p/1"]),
            (255, ["tile/0/000.p/255"]),
            (256, ["tile/0/000", "tile/1/000.p/1"]),
            (300, ["tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1"]),
            (512, ["tile/0/000", "tile/0/001", "tile/1/000.p/2"]),
        ] as [(UInt64, [String])])
    func `a tree has full tiles and a partial one at its edge`(size: UInt64, paths: [String]) {
        let tiles = Tile.levels(inTreeOf: size).flatMap { Tile.tiles(ofLevel: $0, inTreeOf: size) }
        #expect(tiles.map { TileResource.hashes($0).path } == paths)
        #expect(tiles.allSatisfy { $0.isComplete(inTreeOf: size) })
    }

    @Test func `a tree of 70,000 has tiles on three levels`() {
        let tiles = Tile.levels(inTreeOf: 70_000).map { Array(Tile.tiles(ofLevel: $0, inTreeOf: 70_000)) }
        #expect(tiles.count == 3)
        #expect(tiles.map { $0.filter(\.isFull).count } == [273, 1, 0])
        #expect(tiles.map { $0.last?.width } == [112, 17, 1])
        #expect(tiles.map(\.count) == [274, 2, 1])
    }

    @Test(arguments: [(0, 0), (1, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 3), (.max, 8)] as [(UInt64, Int)])
    func `a level begins where the one below fills a tile`(size: UInt64, levels: Int) {
        #expect(Tile.levels(inTreeOf: size) == 0..<levels)
    }

    @Test func `the largest tree has tiles on eight levels`() {
        let size: UInt64 = 1 << 63 - 1
        #expect(Tile.levels(inTreeOf: size) == 0..<8)
        #expect(Tile.tiles(ofLevel: 0, inTreeOf: size).count == 1 << 55)
        #expect(Array(Tile.tiles(ofLevel: 7, inTreeOf: size)) == [Tile(level: 7, index: 0, width: 127)])
        #expect(Array(Tile.tiles(ofLevel: 63, inTreeOf: size)) == [])
    }

    @Test func `a tile's body is its hashes`() throws {
        var reference = ReferenceTree(size: 300)
        let tree = TreeReader(size: 300)
        func body(_ level: Int, _ index: UInt64, _ width: Int) -> [UInt8]? {
            tree.body(of: Tile(level: level, index: index, width: width)) { reference.stored($0, $1) }
        }
        let full = try #require(body(0, 0, 256))
        #expect(full.count == 8_192)
        #expect(Digest.sha256(of: full).hex == "b0f6ca2ff42508faf8c6bb4ea8bb9c74243b19d4174fdc4fd17bdad9099e605e")
        let partial = try #require(body(0, 1, 44))
        #expect(partial.count == 1_408)
        #expect(Digest.sha256(of: partial).hex == "b7fedf2b6e00be3853e3fd898c5f25e4182fd9d6ff22f5e48fe48f6b538c94e4")
        #expect(
            body(1, 0, 1).map { Hex.encode($0) }
                == "da6596d95369f5fef322ab8e4e0da3b0b50236aa9c8a3b1d246f7411c9e2e32e")
        for width in 1...255 { #expect(body(0, 0, width) == Array(full.prefix(32 * width))) }
    }

    /// The SHA-256 of the tiles, computed with Python's hashlib.
    @Test(
        arguments: [
            (0, 272, 256, "d376c973cfc357a060af6fd76db51abc5ab4d7be4511104f90d4a433d73f1ecf"),
            (0, 273, 112, "e31da4e768fc0d0f1f1f0046a1c4b68d71326b04a07951a7d3dcefef0de9b8cd"),
            (1, 0, 256, "44f879be76da41edaf37c0d67303fbd25f2ea44be93285b320561fbaaaaabbfa"),
            (1, 1, 17, "5a8eb2fe63c90ddf7fd813d165c04fa79d6eca48534b61bd312fcd2d1cf0aef3"),
            (2, 0, 1, "7e27fb89709243536fe26030f273fc9f7a73443f5e7ec296b3053aa520623e76"),
        ] as [(Int, UInt64, Int, String)])
    func `a tile of the tree of 70,000 is the one computed elsewhere`(
        level: Int, index: UInt64, width: Int, digest: String
    ) {
        var edge = CompactRange()
        var completed: [StoredHash] = []
        edge.append(contentsOf: ReferenceTree.entryHashes, completed: &completed)
        let stored = completed.filter { $0.level == level }.map(\.hash)
        let body = TreeReader(size: 70_000).body(of: Tile(level: level, index: index, width: width)) {
            $0 == 0 ? ReferenceTree.entryHashes[Int($1)] : stored[Int($1)]
        }
        #expect(body.map { Digest.sha256(of: $0).hex } == digest)
    }

    @Test(
        arguments: [
            (0, 1, 45), (0, 1, 256), (0, 2, 1), (1, 0, 2), (1, 0, 256), (1, 1, 1), (2, 0, 1), (63, 0, 1),
            (0, 1 << 54, 256),
        ] as [(Int, UInt64, Int)])
    func `nothing beyond the size is given out`(level: Int, index: UInt64, width: Int) {
        let tile = Tile(level: level, index: index, width: width)
        #expect(!tile.isComplete(inTreeOf: 300))
        #expect(TreeReader(size: 300).body(of: tile, UniformTree.stored) == nil)
    }
}

@Suite struct `Tile paths` {
    @Test(
        arguments: [
            (0, "000"), (999, "999"), (1_000, "x001/000"), (1_234_067, "x001/x234/067"), (1_000_000, "x001/x000/000"),
            (Tile.indexLimit - 1, "x036/x028/x797/x018/x963/967"),
        ] as [(UInt64, String)])
    func `an index is written in groups of three digits`(index: UInt64, path: String) {
        for (tile, suffix) in [
            (Tile(level: 0, index: index), ""), (Tile(level: 63, index: index, width: 1), ".p/1"),
            (Tile(level: 10, index: index, width: 255), ".p/255"),
        ] {
            let hashes = TileResource.hashes(tile)
            #expect(hashes.path == "tile/\(tile.level)/\(path)\(suffix)")
            #expect(TileResource(path: hashes.path) == hashes)
        }
        let entries = TileResource.entries(Tile(level: 0, index: index, width: 44))
        #expect(entries.path == "tile/entries/\(path).p/44")
        #expect(TileResource(path: entries.path) == entries)
    }

    @Test(arguments: [
        "", "tile", "tile/", "tile/0", "tile/0/", "/tile/0/000", "tile/0/000/", "tile//000", "Tile/0/000",
        "tiles/0/000",
        "tile/64/000", "tile/00/000", "tile/01/000", "tile/+1/000", "tile/-1/000", "tile/ 1/000", "tile/x/000",
        "tile/18446744073709551616/000", "tile/entry/000", "tile/entries", "tile/entries/", "tile/entries/0/000",
        "tile/0/0", "tile/0/00", "tile/0/0000", "tile/0/x00", "tile/0/x000", "tile/0/00a", "tile/0/+00", "tile/0/٠٠٠",
        "tile/0/x000/001", "tile/0/x000/x001/001", "tile/0/001/001", "tile/0/x001/x001", "tile/0/x01/001",
        "tile/0/xx01/001", "tile/0/X001/001", "tile/0/x001//001", "tile/0/x036/x028/x797/x018/x963/968",
        "tile/0/x999/x999/x999/x999/x999/x999/999", "tile/0/x999/x999/x999/x999/x999/x999/x999/x999/x999/x999/x999/999",
        "tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/0", "tile/0/000.p/00", "tile/0/000.p/01", "tile/0/000.p/256",
        "tile/0/000.p/1/", "tile/0/000.p/+1", "tile/0/000.p/-1", "tile/0/000.p/x", "tile/0/000/1", "tile/0/.p/1",
        "tile/0/000.P/1", "tile/0/x001.p/000", "tile/0/000.p/1.p/1", "tile/.p/1", "tile/0/000\0", "tile/0/000?", "..",
    ])
    func `any other spelling is refused`(path: String) {
        #expect(TileResource(path: path) == nil)
    }

    @Test func `every path that is read is written back the same`() {
        var generator = SeededRandom()
        let parts = [
            "tile", "0", "7", "63", "64", "entries", "000", "x000", "x001", "017", ".p", "000.p", "1", "255", "256", "",
        ]
        for _ in 0..<50_000 {
            let path =
                (["tile"]
                + (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                    parts[Int.random(in: parts.indices, using: &generator)]
                }).joined(separator: "/")
            if let resource = TileResource(path: path) {
                #expect(resource.path == path, "seed \(SeededRandom.seed)")
            }
        }
    }
}

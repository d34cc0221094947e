import EventLog
import Glibc
package import LedgerModel
import LedgerStorage
import Primitives
import TransparencyLog

/// A static folder with the tree of a log: `checkpoint`, `tile/L/N` and `tile/entries/N` (C2SP tlog-tiles).
///
/// Every file is written whole and synced. The checkpoint is the last, so a reader finds all that it promises, and an
/// interrupted run continues where it stopped. Full tiles never change and are never written again.
package struct TileFolder {
    private let ledger: LedgerReader
    private let path: String

    package init(of ledger: LedgerReader, at path: String) {
        (self.ledger, self.path) = (ledger, path)
    }

    /// The result of a run.
    package struct Published: Sendable {
        package let size: Position
        /// The number of files written, without the checkpoint.
        package let files: Int
        /// The size of the checkpoint before; nil for none.
        package let before: Position?
    }

    /// - Parameter progress: called with the number of tiles seen and of all tiles.
    /// - Throws: `ProofError`: `logRewritten` when the folder has a checkpoint of other events; `StorageError`;
    ///   `TreeError` for a checkpoint of another log.
    package func publish(progress: (Int, Int) -> Void) throws -> Published {
        let before = try publishedCheckpoint()
        if let before { try ledger.requirePrefix(before) }
        let head = try ledger.log.head()
        let tiles = Self.tiles(from: before?.size ?? 0, to: head.size)
        var files = 0
        for (number, tile) in tiles.enumerated() {
            progress(number, tiles.count)
            if try write(tile, inTreeOf: head.size) { files += 1 }
        }
        try AtomicFile.write(try ledger.checkpointNote(of: head).bytes, to: "\(path)/checkpoint")
        return Published(size: head.size, files: files, before: before?.size)
    }

    private func publishedCheckpoint() throws -> Checkpoint? {
        guard let bytes = try AtomicFile.read("\(path)/checkpoint", limit: SignedNote.bytesMax) else { return nil }
        return try Checkpoint(note: SignedNote(bytes: bytes), verifier: ledger.checkpointVerifier())
    }

    /// The tiles of a tree that the tree of an earlier size does not have in full.
    private static func tiles(from old: Position, to new: Position) -> [TileResource] {
        Tile.levels(inTreeOf: new).flatMap { level -> [TileResource] in
            let known = Int(clamping: old >> UInt64(Tile.height * (level + 1)))
            let tiles = Array(Tile.tiles(ofLevel: level, inTreeOf: new).dropFirst(known))
            return tiles.map { .hashes($0) } + (level == 0 ? tiles.map { .entries($0) } : [])
        }
    }

    /// - Returns: false for a file that exists.
    private func write(_ resource: TileResource, inTreeOf size: Position) throws -> Bool {
        let file = "\(path)/\(resource.path)"
        guard access(file, F_OK) != 0 else { return false }
        guard let body = try ledger.body(of: resource, inTreeOf: size) else { return false }
        try createFolders(of: resource.path)
        try AtomicFile.write(body, to: file)
        return true
    }

    private func createFolders(of name: String) throws {
        try Folder(path).create()
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            try Folder(folder).create()
        }
    }
}

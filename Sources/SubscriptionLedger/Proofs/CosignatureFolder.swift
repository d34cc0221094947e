import LedgerStorage
import Primitives
import TransparencyLog

/// The checkpoints with cosignatures of witnesses, `N.checkpoint` for each size N, in `data/cosignatures`.
struct CosignatureFolder {
    private let folder: Folder

    init(_ folder: DataFolder) {
        self.folder = Folder(folder.cosignatures)
    }

    /// Creates the folder if it is missing, and lets one process at a time write to it.
    func lock() throws(StorageError) -> FolderLock {
        try folder.create()
        return try FolderLock(
            file: path("LOCK"), refusal: "another process is adding cosignatures", hint: "Wait until it ends.")
    }

    /// Returns the sizes of all cosigned checkpoints in ascending order.
    func sizes() throws(StorageError) -> [UInt64] {
        try folder.names().compactMap { name in
            name.hasSuffix(Self.suffix) ? UInt64(name.dropLast(Self.suffix.count)) : nil
        }.sorted()
    }

    /// Returns the note of a size; nil when there is none.
    /// - Throws: `log_corrupt` for a file that is no note; `io_error`.
    func note(ofSize size: UInt64) throws(StorageError) -> SignedNote? {
        guard let bytes = try AtomicFile.read(path("\(size)\(Self.suffix)"), limit: SignedNote.bytesMax) else {
            return nil
        }
        do throws(TreeError) {
            return try SignedNote(bytes: bytes)
        } catch {
            throw StorageError(
                .logCorrupt, "cosignatures of \(size) events: \(error.message)", hint: "Remove the file.")
        }
    }

    /// Returns a note with the stored cosignatures of the same text added to its own signatures.
    func adding(to note: SignedNote, ofSize size: UInt64) throws -> SignedNote {
        guard let stored = try self.note(ofSize: size), stored.text == note.text else { return note }
        return try note.adding(stored.signatures)
    }

    func store(_ note: SignedNote, ofSize size: UInt64) throws(StorageError) {
        try AtomicFile.write(note.bytes, to: path("\(size)\(Self.suffix)"))
    }

    /// Copies the cosigned checkpoints.
    func copy(to other: DataFolder) throws(StorageError) {
        let names = try folder.names().filter { $0.hasSuffix(Self.suffix) }
        guard !names.isEmpty else { return }
        try Folder(other.cosignatures).create()
        try DataFolder.copySmallFiles(
            named: names, from: folder.path, to: other.cosignatures, limit: SignedNote.bytesMax)
    }

    private static let suffix = ".checkpoint"

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }
}

extension SignedNote {
    /// Returns the note with the signatures of keys that it does not have yet, ordered by name and key after the first.
    func adding(_ others: [NoteSignature]) throws(TreeError) -> SignedNote {
        var added = Array(signatures.dropFirst())
        for other in others where !signatures.contains(where: { $0.key == other.key }) { added.append(other) }
        added.sort { ($0.key.name, $0.key.id) < ($1.key.name, $1.key.id) }
        return try SignedNote(text: text, signatures: signatures.prefix(1) + added)
    }
}

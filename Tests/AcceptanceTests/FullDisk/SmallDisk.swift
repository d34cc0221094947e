import EventLog
import Glibc
import LedgerStorage
import LedgerTesting
import Testing

/// A disk with little room for a ledger, which can be enlarged.
final class SmallDisk: Sendable {
    enum Kind: String, CaseIterable {
        /// A separate tmpfs, mostly full, so that the limit applies to the whole ledger.
        case tmpfs
        /// RLIMIT_FSIZE of the writing process. It needs no permission to mount, so it is always tested.
        case fileLimit
    }

    static let room = 4 * 1_024 * 1_024
    private static let roomLater = 64 * 1_024 * 1_024

    private let kind: Kind
    private let temporary: TemporaryFolder
    let folder: DataFolder
    private let filler: String

    /// Creates a disk; returns nil if this process may not mount.
    init?(_ kind: Kind) throws {
        self.kind = kind
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        filler = temporary.path + "/filler"
        guard kind == .tmpfs else { return }
        let size = "size=\(Self.room + Self.roomLater)"
        guard mount("tmpfs", temporary.path, "tmpfs", 0, size) == 0 else { return nil }
        try File.write([UInt8](repeating: 0, count: Self.roomLater), to: filler)
    }

    deinit {
        if kind == .tmpfs { umount2(temporary.path, Int32(MNT_DETACH)) }
    }

    /// Fills the remaining space.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 0, count: 4_096)
        while write(descriptor, page, page.count) > 0 {}
        try #require(errno == ENOSPC)
    }

    /// The options for `crash-writer write`.
    var options: [String] { kind == .fileLimit ? ["--file-limit", "\(Self.room)"] : [] }

    /// - Parameter writer: the limited process; nil for a tmpfs.
    func makeRoom(for writer: WritingProcess? = nil) {
        switch kind {
        // Truncated, not removed: a program that another test is starting may keep its descriptor open until exec.
        case .tmpfs: truncate(filler, 0)
        case .fileLimit: writer?.child.send("room")
        }
    }
}

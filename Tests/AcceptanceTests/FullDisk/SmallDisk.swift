import EventLog
import Glibc
import Testing

/// A disk with little room for a ledger, and a way to make more.
final class SmallDisk {
    enum Kind: String, CaseIterable {
        /// A tmpfs of its own, full of something else: the whole ledger meets the end of it.
        case tmpfs
        /// RLIMIT_FSIZE of the writing process: where mounting is not permitted, and everywhere besides.
        case fileLimit
    }

    static let room = 4 * 1_024 * 1_024
    private static let roomLater = 64 * 1_024 * 1_024

    private let kind: Kind
    private let temporary: TemporaryFolder
    let folder: DataFolder
    private let filler: String

    /// Nil when this process may not mount.
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

    /// Takes what is left.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 0, count: 4_096)
        while write(descriptor, page, page.count) > 0 {}
        try #require(errno == ENOSPC)
    }

    /// For `crash-writer write`.
    var options: [String] { kind == .fileLimit ? ["--file-limit", "\(Self.room)"] : [] }

    /// - Parameter writer: the process that is limited, if one is.
    func makeRoom(for writer: WritingProcess? = nil) {
        switch kind {
        // Not removed: a program that another test is just starting may hold its descriptor until it runs.
        case .tmpfs: truncate(filler, 0)
        case .fileLimit: writer?.child.send("room")
        }
    }
}

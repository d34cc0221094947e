import Glibc

/// The Unix socket in the data folder, at which the process that writes serves the commands of other processes.
package final class ControlSocket: Sendable {
    private let file: String
    private let folder: Int32

    /// - Throws: `io_error` when the folder cannot be opened.
    package init(_ folder: DataFolder) throws(StorageError) {
        file = folder.controlSocket
        self.folder = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard self.folder >= 0 else { throw StorageError(system: "\(folder.path) cannot be opened") }
    }

    deinit {
        if folder >= 0 { close(folder) }
    }

    /// The path to bind or to connect to. An address holds about 100 bytes (unix(7)); a longer path is shortened through
    /// the descriptor of the folder.
    package var address: String {
        file.utf8.count <= Self.addressLimit ? file : "/proc/self/fd/\(folder)/\(DataFolder.controlSocketName)"
    }

    private static let addressLimit = 100

    /// Limits the bound socket to its owner.
    /// - Returns: false when the mode cannot be changed.
    package func makePrivate() -> Bool { chmod(file, 0o600) == 0 }

    /// Removes the socket, if it exists.
    package func remove() { unlink(file) }
}

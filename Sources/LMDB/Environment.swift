import CLMDB
import Synchronization

/// One LMDB environment: a directory with `data.mdb` and `lock.mdb`, mapped into memory.
///
/// Many threads and processes read concurrently and never wait; one writes at a time. A commit returns after its pages
/// and then its meta page are on disk. MDB_NOSYNC, MDB_NOMETASYNC and MDB_WRITEMAP are never used, because LMDB 0.9
/// cannot detect the damage that they may leave after a power loss.
///
/// It is closed when its last reference is released; a transaction retains one.
@safe
package final class Environment: Sendable {
    package let directory: String
    package let options: Options

    // Sendable: the pointer never changes after init, and an MDB_env may be used from any thread. liblmdb guards its
    // own state with the locks in lock.mdb. It leaves two duties to the caller: databases are opened under
    // `databaseOpening`, and mdb_env_close runs in deinit, when no transaction can be left.
    nonisolated(unsafe) let handle: OpaquePointer
    let databaseOpening = Mutex<Void>(())
    private let registration: OpenEnvironments.Registration

    /// Opens the environment, creating its files when the directory has none and `readOnly` is not set.
    ///
    /// An existing data file is checked before liblmdb reads it, because liblmdb trusts its contents.
    /// - Throws: `ENOENT` when the directory (or, for reading only, its data file) is missing; `EBUSY` when this
    ///   process already has the environment open; `MDB_INVALID`, `MDB_VERSION_MISMATCH` or `MDB_CORRUPTED` when the
    ///   data file is not sound; `ENOMEM` when not even the smallest map fits; any other `errno` of opening files.
    package init(directory: String, options: Options = Options()) throws(LMDBError) {
        self.directory = directory
        self.options = options
        // LMDB forbids opening a file twice in one process: closing one environment would drop the other's fcntl locks.
        registration = try OpenEnvironments.register(directory)
        try DataFileCheck.run(directory: directory, forWriting: !options.readOnly)
        try LockFile.reserve(in: directory, options)
        unsafe handle = try Self.open(directory, options)
        if !options.readOnly { try settleMetaPages() }
    }

    deinit {
        unsafe mdb_env_close(handle)
    }

    private static func open(_ directory: String, _ options: Options) throws(LMDBError) -> OpaquePointer {
        var mapSizeBytes = options.mapSizeBytes
        while true {
            do throws(LMDBError) {
                return unsafe try open(directory, options, mapSizeBytes: mapSizeBytes)
            } catch {
                // The map uses address space, not memory. A process with limited address space gets a smaller map.
                guard error.code == .ENOMEM, mapSizeBytes / 2 >= Options.smallestMapSizeBytes else { throw error }
                mapSizeBytes /= 2
            }
        }
    }

    private static func open(
        _ directory: String, _ options: Options, mapSizeBytes: Int
    ) throws(LMDBError) -> OpaquePointer {
        var created: OpaquePointer?
        try LMDBError.check(unsafe mdb_env_create(&created), "mdb_env_create")
        guard let environment = unsafe created else { throw LMDBError(.ENOMEM, operation: "mdb_env_create") }
        // MDB_NOTLS ties a reader's slot to its transaction instead of to its thread.
        var flags = UInt32(MDB_NOTLS)
        if options.readOnly { flags |= UInt32(MDB_RDONLY) }
        // A reader registers in the lock file, so that writers keep its pages. Who may not write there may read an
        // environment that no process has open. liblmdb does the same on a read-only file system.
        if options.readOnly, LockFile.isForbidden(in: directory), !LockFile.isInUse(in: directory) {
            flags |= UInt32(MDB_NOLOCK)
        }
        do throws(LMDBError) {
            try LMDBError.check(unsafe mdb_env_set_mapsize(environment, mapSizeBytes), "mdb_env_set_mapsize")
            try LMDBError.check(
                unsafe mdb_env_set_maxdbs(environment, options.maxDatabases), "mdb_env_set_maxdbs")
            try LMDBError.check(
                unsafe mdb_env_set_maxreaders(environment, options.maxReaders), "mdb_env_set_maxreaders")
            try LMDBError.check(
                unsafe mdb_env_open(environment, directory, flags, options.fileMode), "mdb_env_open")
        } catch {
            // The handle must be closed even after a failed open (lmdb.h, mdb_env_open).
            unsafe mdb_env_close(environment)
            throw error
        }
        return unsafe environment
    }
}

extension Environment {
    /// The name of the data file in the directory.
    package static let dataFileName = "data.mdb"

    package struct Options: Sendable {
        /// Address space for the map, which is also the maximum size of the data file. When the process may not map
        /// that much, the size is halved until it fits, but not below 8 GiB.
        package var mapSizeBytes = 1 << 40
        package var maxDatabases: UInt32 = 32
        /// The maximum number of concurrent read transactions of all processes together.
        package var maxReaders: UInt32 = 1024
        /// Whether the environment is opened for reading only; another process may write at the same time.
        package var readOnly = false
        /// The permissions of created files.
        package var fileMode: UInt32 = 0o600

        package init() {}

        static let smallestMapSizeBytes = 8 << 30
    }
}

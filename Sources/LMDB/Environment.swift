import CLMDB
import Synchronization

/// One LMDB environment: a directory with `data.mdb` and `lock.mdb`, mapped into memory.
///
/// Many threads and processes read at once and never wait; one writes at a time. A commit returns after its
/// pages and then its meta page are on disk: MDB_NOSYNC, MDB_NOMETASYNC and MDB_WRITEMAP are never used,
/// because LMDB 0.9 cannot detect the damage they leave behind after a power loss.
///
/// It is closed when the last reference is gone; a transaction holds one.
@safe
package final class Environment: Sendable {
    package let directory: String
    package let options: Options

    // Sendable: the pointer never changes after init, and an MDB_env may be used from any thread. liblmdb
    // guards its own state with the locks in lock.mdb; the two things it leaves to the caller are kept here:
    // databases are opened under `databaseOpening`, and mdb_env_close runs in deinit, when no transaction can
    // be left.
    nonisolated(unsafe) let handle: OpaquePointer
    let databaseOpening = Mutex<Void>(())
    private let registration: OpenEnvironments.Registration

    /// Opens the environment, creating its files when the directory has none and `readOnly` is not set.
    ///
    /// An existing data file is examined before liblmdb sees it, because liblmdb believes what it reads.
    /// - Throws: `ENOENT` when the directory (or, for reading only, its data file) is missing; `EBUSY` when
    ///   this process has the environment open already; `MDB_INVALID`, `MDB_VERSION_MISMATCH` or
    ///   `MDB_CORRUPTED` when the data file is not sound; `ENOMEM` when not even the smallest map fits; any
    ///   other `errno` of opening files.
    package init(directory: String, options: Options = Options()) throws(LMDBError) {
        self.directory = directory
        self.options = options
        // LMDB forbids opening a file twice in one process: closing one would drop the other's fcntl locks.
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
                // The map takes address space, not memory; a process with a limit on it gets a smaller one.
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
        if !options.readAhead { flags |= UInt32(MDB_NORDAHEAD) }
        do throws(LMDBError) {
            try LMDBError.check(unsafe mdb_env_set_mapsize(environment, mapSizeBytes), "mdb_env_set_mapsize")
            try LMDBError.check(
                unsafe mdb_env_set_maxdbs(environment, options.maxDatabases), "mdb_env_set_maxdbs")
            try LMDBError.check(
                unsafe mdb_env_set_maxreaders(environment, options.maxReaders), "mdb_env_set_maxreaders")
            try LMDBError.check(
                unsafe mdb_env_open(environment, directory, flags, options.fileMode), "mdb_env_open")
        } catch {
            // Also after a failed open the handle must be closed (lmdb.h, mdb_env_open).
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
        /// Address space for the map, and with it the size the data file can grow to. When the process may
        /// not map so much, it is halved until it fits, though not below 8 GiB.
        package var mapSizeBytes = 1 << 40
        package var maxDatabases: UInt32 = 32
        /// Concurrent read transactions of all processes together.
        package var maxReaders: UInt32 = 1024
        /// Opens the files for reading; a writer may be at work beside it.
        package var readOnly = false
        /// Whether the kernel reads ahead in the map (without it: MDB_NORDAHEAD). Ahead pays for scans; it
        /// hurts random access to a file larger than memory.
        package var readAhead = true
        /// Permissions of files that are created.
        package var fileMode: UInt32 = 0o600

        package init() {}

        static let smallestMapSizeBytes = 8 << 30
    }
}

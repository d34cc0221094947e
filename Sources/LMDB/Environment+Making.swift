import Glibc

extension Environment {
    /// Creates an environment where none exists yet.
    ///
    /// It is built in a subfolder and moved into place in one step. Another process that opens it meanwhile, or after a
    /// power loss, finds everything that `fill` stores, or no environment. On return the directory entry is durable
    /// too, even if another process created it: later commits are lost in a power loss without it.
    /// - Throws: the errors of `fill`; `MDB_INVALID` when the data file is empty, which liblmdb would treat as a new
    ///   one; the `errno` of creating and moving files.
    package static func makeIfMissing(
        in directory: String, options: Options, _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let place = "\(directory)/\(dataFileName)"
        var status = stat()
        // `stat` only writes into the buffer it receives.
        if unsafe stat(place, &status) == 0 {
            guard status.st_size > 0 else {
                throw LMDBError(
                    .MDB_INVALID, operation: "examine \(place)", expected: "a data file, or none", found: "0 bytes")
            }
        } else {
            try make(place, aside: "\(directory)/new", options: options, fill)
        }
        try syncFolder(directory)
    }

    private static func make(
        _ place: String, aside: String, options: Options, _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        remove(aside)
        guard unsafe mkdir(aside, 0o700) == 0 else { throw .system("mkdir \(aside)") }
        defer { remove(aside) }
        try fillNew(aside, options: options, fill)
        guard unsafe rename("\(aside)/\(dataFileName)", place) == 0 else { throw .system("rename to \(place)") }
    }

    /// Fills a new environment, which is closed on return.
    private static func fillNew(
        _ directory: String, options: Options, _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let environment = try Environment(directory: directory, options: options)
        try fill(environment)
        // Without a commit, nothing has been synced yet.
        try environment.sync()
    }

    /// Removes the files of an earlier attempt. Missing files are no error.
    private static func remove(_ aside: String) {
        for name in [dataFileName, "lock.mdb"] { unsafe unlink("\(aside)/\(name)") }
        unsafe rmdir(aside)
    }

    private static func syncFolder(_ directory: String) throws(LMDBError) {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open \(directory)") }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("fsync \(directory)") }
    }
}

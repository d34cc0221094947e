import Glibc

extension Environment {
    /// Makes an environment where there is none yet.
    ///
    /// It is made aside and moved to its place whole: whoever opens it meanwhile, or after a power loss, finds all that
    /// `fill` puts in, or no environment. When this returns its name is durable too, whoever has made it; what is
    /// committed later is durable only where it is found again.
    /// - Throws: what `fill` throws; `MDB_INVALID` when the data file is empty, which liblmdb would take for a new one;
    ///   the `errno` of making and moving files.
    package static func makeIfMissing(
        in directory: String, options: Options, _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let place = "\(directory)/\(dataFileName)"
        var status = stat()
        // `stat` only writes into the buffer it is given.
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

    /// The environment is closed when this returns.
    private static func fillNew(
        _ directory: String, options: Options, _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let environment = try Environment(directory: directory, options: options)
        try fill(environment)
        // Without a commit nothing has been synced yet.
        try environment.sync()
    }

    /// What an attempt may have left. What is not there need not go.
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

import Glibc

/// The ledger's folder and the paths in it.
package struct DataFolder: Sendable {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    package var log: String { path + "/log" }
    /// The data that can be rebuilt from the log. The facts in it have a folder per layout (`FactStore`).
    package var derived: String { path + "/derived" }
    package var identities: String { derived + "/identities" }
    package var transitions: String { derived + "/transitions" }
    /// The stored projections, which can be rebuilt from the facts.
    package var projections: String { path + "/projections" }
    package var vault: String { path + "/vault" }
    package var keys: String { path + "/keys" }
    package var quarantine: String { path + "/quarantine" }
    /// The questions to Apple; without it, some are asked again.
    package var poll: String { path + "/poll" }
    /// The rows of imports until each has a verdict, and the verdicts.
    package var imports: String { path + "/imports" }
    /// The last runs of exports on a schedule; without them, each begins with an export of everything.
    package var exports: String { path + "/exports" }
    /// The checkpoints with time stamps of independent authorities.
    package var anchors: String { path + "/anchors" }
    /// The checkpoints with cosignatures of witnesses.
    package var cosignatures: String { path + "/cosignatures" }
    package var bundleKey: String { keys + "/bundle.key" }
    package var checkpointKey: String { keys + "/checkpoint.key" }
    package var vaultKey: String { keys + "/vault.key" }
    /// The last signed checkpoint.
    package var checkpoint: String { path + "/checkpoint" }
    package var lock: String { path + "/LOCK" }
    package var controlSocket: String { "\(path)/\(Self.controlSocketName)" }

    static let controlSocketName = "control.sock"

    /// Whether a ledger was ever opened here.
    package var exists: Bool { access(log + "/data.mdb", F_OK) == 0 }

    /// - Throws: `io_error` when no ledger was ever opened here, or when this process may not read the folder.
    package func requireExists() throws(StorageError) {
        guard exists else {
            if errno != ENOENT { throw StorageError(system: "\(log) cannot be read") }
            throw StorageError(
                .ioError, "no ledger at \(path)", expected: "a data folder", found: "none",
                hint: "Set --data or create a ledger with `subledger ingest`.")
        }
    }

    /// Whether the vault was ever opened.
    package var hasVault: Bool { access(vault + "/data.mdb", F_OK) == 0 }

    /// Creates the folder and its missing parts, accessible only to the owner. The folders are durable, so data in them
    /// can be found after a power loss.
    package func create() throws(StorageError) {
        for folder in [path, log, derived, identities, vault, keys, quarantine] {
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw StorageError(system: "the folder \(folder) cannot be created")
            }
        }
        try AtomicFile.syncFolder(of: identities)
        try AtomicFile.syncFolder(of: log)
        try AtomicFile.syncFolder(of: path)
    }
}

extension StorageError {
    /// Creates an error from the `errno` of the preceding system call.
    package init(system what: String) {
        let code: Code = [ENOSPC, EDQUOT, EFBIG].contains(errno) ? .diskFull : .ioError
        self.init(code, "\(what): \(String(cString: strerror(errno)))")
    }
}

extension DataFolder {
    /// Returns the bytes that an environment's data file takes on the disk, without holes; 0 when there is none.
    package static func bytesOnDisk(in folder: String) -> Int64 {
        var status = stat()
        return stat(folder + "/data.mdb", &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }
}

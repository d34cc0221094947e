import Glibc

/// The ledger's folder and the places in it.
package struct DataFolder: Sendable {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    package var log: String { path + "/log" }
    package var derived: String { path + "/derived" }
    package var transitions: String { derived + "/transitions" }
    package var vault: String { path + "/vault" }
    package var keys: String { path + "/keys" }
    package var quarantine: String { path + "/quarantine" }
    package var checkpointKey: String { keys + "/checkpoint.key" }
    package var vaultKey: String { keys + "/vault.key" }
    /// The last signed checkpoint.
    package var checkpoint: String { path + "/checkpoint" }
    package var lock: String { path + "/LOCK" }

    /// Whether a ledger was ever opened here.
    package var exists: Bool { access(log + "/data.mdb", F_OK) == 0 }

    /// - Throws: `io_error` where no ledger was ever opened, or where this process may not look.
    package func requireExists() throws(EventLogError) {
        guard exists else {
            if errno != ENOENT { throw EventLogError(system: "\(log) cannot be read") }
            throw EventLogError(
                .ioError, "no ledger at \(path)", expected: "a data folder", found: "none",
                hint: "Set --data, or create a ledger with `subledger ingest`.")
        }
    }

    /// Whether its vault was ever opened.
    package var hasVault: Bool { access(vault + "/data.mdb", F_OK) == 0 }

    /// Makes the folder and what is missing in it, readable for its owner alone; durably, so that what is stored in it
    /// can be found after a power loss.
    package func create() throws(EventLogError) {
        for folder in [path, log, derived, vault, keys, quarantine] {
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw EventLogError(system: "the folder \(folder) cannot be made")
            }
        }
        try SmallFile.syncFolder(of: log)
        try SmallFile.syncFolder(of: path)
    }
}

extension EventLogError {
    /// The failure of the system call before.
    init(system what: String) {
        let code: Code = [ENOSPC, EDQUOT, EFBIG].contains(errno) ? .diskFull : .ioError
        self.init(code, "\(what): \(String(cString: strerror(errno)))")
    }
}

extension DataFolder {
    /// What the data file of an environment takes on the disk; 0 when there is none. Holes do not count.
    package static func bytesOnDisk(in folder: String) -> Int64 {
        var status = stat()
        return stat(folder + "/data.mdb", &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }
}

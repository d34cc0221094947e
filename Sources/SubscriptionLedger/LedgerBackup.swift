import EventLog

/// A copy of a ledger in a new folder: built beside it, synced, then renamed into place.
///
/// The log and the quarantine are copied; what is derived is made again. The secrets are the keys and the vault, whose
/// names can only be told with its key: the one without the other would be of no use, so they go together. With the
/// key that signs checkpoints goes the last one it has signed, lest the copy sign another history of that size.
package struct LedgerBackup {
    private let source: Ledger
    private let withSecrets: Bool

    package init(of source: Ledger, withSecrets: Bool) {
        self.source = source
        self.withSecrets = withSecrets
    }

    /// - Parameters:
    ///   - path: must not exist; `path.partial` holds the copy until it is whole.
    ///   - progress: called with the events copied, of how many.
    /// - Returns: how many events the copy has.
    @discardableResult
    package func copy(to path: String, progress: (UInt64, UInt64) -> Void) throws -> UInt64 {
        let folder = source.configuration.folder
        let partial = DataFolder(path: path + ".partial")
        try partial.create()
        // Those of an earlier attempt are not the newest, and perhaps nobody wants them in the copy any more.
        try partial.removeSecrets()
        // Before the log, which then has all that it vouches for.
        if withSecrets { try DataFolder.copySmallFiles(named: ["checkpoint"], from: folder.path, to: partial.path) }
        let log = try LogBackup(of: source.log)
        try log.copy(to: partial.log, progress: progress)
        try Quarantine.copy(from: folder.quarantine, to: partial.quarantine)
        if withSecrets {
            try DataFolder.copySmallFiles(named: ["checkpoint.key"], from: folder.keys, to: partial.keys)
            // After the log: a customer is in the vault before an event speaks of them.
            try source.vault?.copy(from: folder, to: partial, metUpTo: log.size)
        }
        try partial.rename(to: path)
        return log.size
    }
}

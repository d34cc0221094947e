import EventLog
import LedgerStorage

/// Copies a ledger into a new folder. The copy is built beside the destination, then synced and renamed.
///
/// The log, its anchors, cosignatures and the quarantine are copied; derived data is rebuilt. The secrets are the keys and the vault. They are
/// copied together, because the vault's ids are unreadable without its key. The last checkpoint is copied with the key
/// that signed it, so that the copy does not sign another history of that size.
package struct LedgerBackup {
    private let source: LedgerReader
    private let withSecrets: Bool

    package init(of source: LedgerReader, withSecrets: Bool) {
        self.source = source
        self.withSecrets = withSecrets
    }

    /// - Parameters:
    ///   - path: a folder that does not exist; `path.partial` contains the copy until it is complete.
    ///   - progress: called with the number of copied events and the total.
    /// - Returns: the number of events in the copy.
    @discardableResult
    package func copy(to path: String, progress: (UInt64, UInt64) -> Void) throws -> UInt64 {
        let folder = source.configuration.folder
        let partial = DataFolder(path: path + ".partial")
        try partial.create()
        // Secrets from an earlier attempt may be outdated, or no longer requested.
        try partial.removeSecrets()
        // Copied before the log, so that the copied log contains every event of the checkpoints.
        try AnchorFolder(folder).copy(to: partial)
        try CosignatureFolder(folder).copy(to: partial)
        if withSecrets { try DataFolder.copySmallFiles(named: ["checkpoint"], from: folder.path, to: partial.path) }
        let log = try LogBackup(of: source.log)
        try log.copy(to: partial.log, progress: progress)
        try Quarantine.copy(from: folder.quarantine, to: partial.quarantine)
        if withSecrets {
            try DataFolder.copySmallFiles(named: ["checkpoint.key", "bundle.key"], from: folder.keys, to: partial.keys)
            // Copied after the log, because the vault stores a customer before an event names it.
            try source.vault?.copy(from: folder, to: partial, createdUpTo: log.size)
        }
        try partial.rename(to: path)
        return log.size
    }
}

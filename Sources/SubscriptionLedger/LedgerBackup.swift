import EventLog

/// A copy of a ledger in a new folder: built beside it, synced, then renamed into place.
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
    package func copy(to path: String, progress: (UInt64, UInt64) -> Void) throws {
        let partial = DataFolder(path: path + ".partial")
        try partial.create()
        try LogBackup(of: source.log).copy(to: partial.log, progress: progress)
        if withSecrets {
            try DataFolder.copySmallFiles(
                named: ["checkpoint.key"], from: source.configuration.folder.keys, to: partial.keys)
        }
        try partial.rename(to: path)
    }
}

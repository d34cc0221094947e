import EventLog
import FactStore
import Ingestion
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime

extension ErasureIntent {
    /// Whether the log has the events of the erasure. They are durable before anything is removed.
    func hasBegun(in log: LogReader) throws -> Bool {
        guard let last = try log.record(at: events.upperBound - 1) else { return false }
        return ErasureEvents.fact(in: last) != nil
    }

    /// Returns the places of the residue of all erased evidence.
    /// - Throws: `log_corrupt`.
    func places(in log: LogReader) throws -> [Position: ResiduePlace] {
        try events.reduce(into: [:]) { places, position in
            guard let residue = try log.evidence(at: position),
                let found = ErasureEvents.places(in: residue, of: position)
            else { throw StorageError(.logCorrupt, "the residue at position \(position) cannot be read") }
            places.merge(found) { first, _ in first }
        }
    }

    /// Whether the log has these places instead of the evidence.
    func isLogErased(_ places: [Position: ResiduePlace], in log: LogReader) throws -> Bool {
        try places.allSatisfy { try log.residuePlace(at: $0.key) == $0.value }
    }

    /// Completes an erasure that a crash interrupted, before the ledger is opened for writing. Facts are decoded from the
    /// log afterwards.
    /// - Throws: `StorageError`; `busy` while a projection is built.
    static func completeInterrupted(_ configuration: Ledger.Configuration) throws {
        let folder = configuration.folder
        guard let intent = try stored(in: folder) else { return }
        let log = try LogReader(configuration.log, origin: configuration.origin)
        if try intent.hasBegun(in: log) { try intent.complete(log, configuration) }
        try remove(from: folder)
    }

    private func complete(_ log: LogReader, _ configuration: Ledger.Configuration) throws {
        let folder = configuration.folder
        _ = try ErasureTraces.remove(self, from: folder)
        if withEvidence {
            let builds = try Self.excludingBuilds(in: folder)
            try TransitionStore.forget(tokens, in: folder.transitions, mapSizeBytes: configuration.mapSizeBytes)
            try ProjectionStore(folder).remove(TransitionProjection.name)
            let places = try places(in: log)
            if try !isLogErased(places, in: log) { try log.replaceLog(in: folder.log, without: places) { _, _ in } }
            try LogReader.removeReplacedLog(in: folder.log)
            try folder.removeFacts()
            withExtendedLifetime(builds) {}
        }
        if folder.hasVault {
            let vault = try VaultStore(
                directory: folder.vault, mapSizeBytes: configuration.mapSizeBytes, readOnly: false)
            try VaultStore.forget(handles, in: folder, from: vault)
        }
        try VaultStore.removeAside(in: folder)
    }

    /// The lock of the ledger would be mistaken for that of a build.
    private static func excludingBuilds(in folder: DataFolder) throws -> FolderLock {
        do {
            return try ProjectionStore(folder).excludeBuilds()
        } catch let error as StorageError where error.code == .locked {
            throw StorageError(
                .busy, "an interrupted erasure waits for the end of `subledger project rebuild`", hint: "Try again.")
        }
    }
}

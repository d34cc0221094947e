import EventLog
package import LedgerAPI
package import LedgerModel
import LedgerStorage
package import Primitives
package import ProjectionRuntime
import SubscriptionStatus

/// The projections that can be stored.
package enum Projections {
    fileprivate static let all: [any Projection.Type] = [StatusProjection.self, TransitionProjection.self]

    package static let names = all.map { $0.name }

    /// Returns the projection of a name.
    /// - Throws: `ProjectionUnknown` for an unknown name.
    fileprivate static func named(_ name: String) throws(ProjectionUnknown) -> any Projection.Type {
        guard let projection = all.first(where: { $0.name == name }) else {
            throw ProjectionUnknown("unknown projection", expected: names.joined(separator: " or "), found: name)
        }
        return projection
    }
}

/// The refusal of a name or of rules for which there is no projection.
package struct ProjectionUnknown: DiagnosedError, Hashable, Sendable {
    package let diagnosis: Diagnosis

    init(_ message: String, expected: String, found: String, hint: String? = nil) {
        diagnosis = Diagnosis("projection_unknown", message, expected: expected, found: found, hint: hint)
    }
}

extension LedgerReader {
    private var projectionStore: ProjectionStore { ProjectionStore(configuration.folder) }

    /// Builds a projection of all events and replaces the stored one of the same rules. Changes nothing else, and can run
    /// beside a writer.
    ///
    /// - Parameters:
    ///   - name: one of `Projections.names`.
    ///   - rules: the rules; nil for the active ones.
    ///   - isIncremental: whether to fold only the keys that changed since the stored projection.
    /// - Throws: `ProjectionUnknown`; `StorageError`, also `locked` while another process builds.
    package func rebuildProjection(
        _ name: String, rules: Rules? = nil, isIncremental: Bool = false, _ options: RebuildOptions = RebuildOptions()
    ) throws -> ProjectionRow {
        let projection = try Projections.named(name)
        let active = try currentRules()
        let manifest = try build(projection, rules ?? active, isIncremental, options)
        return ProjectionRow(manifest, active: active.digest)
    }

    private func build<Definition: Projection>(
        _ projection: Definition.Type, _ rules: Rules, _ isIncremental: Bool, _ options: RebuildOptions
    ) throws -> ProjectionManifest {
        let builder = try ProjectionBuilder(
            projection, in: projectionStore, of: facts, rules: rules, options: options)
        let logRoot = try log.root(ofFirst: builder.size)
        guard isIncremental else { return try builder.rebuild(logRoot: logRoot) }
        let size = builder.previous.map(\.knownAt).flatMap { $0 <= builder.size ? $0 : nil }
        return try builder.update(logRoot: logRoot, logRootBefore: try size.map { try log.root(ofFirst: $0) })
    }

    /// Returns the stored projections, ordered by name and log size, and the errors of those that cannot be read.
    /// - Throws: `StorageError`.
    package func projections() throws -> (rows: [ProjectionRow], unreadable: [Diagnosis]) {
        let active = try currentRules().digest
        let (readable, unreadable) = try projectionStore.manifests()
        return (readable.map { ProjectionRow($0, active: active) }, unreadable.map(\.diagnosis))
    }

    /// Removes the stored projections of a set of rules.
    /// - Parameter digest: the digest of the rules, or a unique prefix of it.
    /// - Returns: the digest, and the names of the removed projections.
    /// - Throws: `ProjectionUnknown`; `StorageError`, also `locked` while another process builds.
    package func dropProjections(_ digest: String) throws -> (digest: String, projections: [String]) {
        let found = try storedDigest(digest)
        return (found, try projectionStore.drop(found))
    }

    /// Opens the rows of a stored projection.
    /// - Parameter digest: the digest of the rules, or a unique prefix of it; nil for the active rules.
    /// - Throws: `ProjectionUnknown`; `StorageError`.
    package func projectedRows(of name: String, rules digest: String? = nil) throws -> ProjectedRows {
        let projection = try Projections.named(name)
        let active = try currentRules().digest
        let rules = try digest.map { Digest(hex: try storedDigest($0)) ?? active } ?? active
        guard let stored = try projectionStore.open(projection.name, rules) else {
            throw ProjectionUnknown(
                "projection \(name) is not stored", expected: "a projection under the rules \(rules)", found: "none",
                hint: "Run `subledger project rebuild \(name)` with these rules.")
        }
        return ProjectedRows(stored, ProjectionRow(stored.manifest, active: active))
    }

    private func storedDigest(_ prefix: String) throws -> String {
        let digests = try projectionStore.digests()
        let found = digests.filter { $0.hasPrefix(prefix) }
        guard let digest = found.first, found.count == 1, !prefix.isEmpty else {
            throw ProjectionUnknown(
                "no stored projection matches this digest", expected: "a prefix of exactly one stored digest",
                found: prefix, hint: "Run `subledger project status` to see the digests.")
        }
        return digest
    }
}

extension ProjectionRow {
    fileprivate init(_ manifest: ProjectionManifest, active: Digest) {
        let known = try? Projections.named(manifest.projection)
        self.init(
            projection: manifest.projection, rulesName: manifest.rules.name, rulesDigest: manifest.rulesDigest,
            isActive: manifest.rulesDigest == active,
            isCurrentVersion: known.map { ProjectionManifest.Versions(of: $0) } == manifest.versions,
            knownAt: manifest.knownAt, asOf: manifest.asOf, rows: manifest.content.rows,
            bytes: manifest.content.bytes, sha256: manifest.content.sha256)
    }
}

import Glibc
import LedgerModel
import LedgerStorage
import Primitives

/// Removes the traces of a person from the files beside the log: artifacts in quarantine and rows of waiting imports.
enum ErasureTraces {
    struct Removed: Sendable {
        var quarantined = 0
        var importRows = 0
    }

    static func remove(_ intent: ErasureIntent, from folder: DataFolder) throws -> Removed {
        var removed = Removed()
        if intent.withEvidence { removed.quarantined = try dropQuarantined(stating: intent.tokens, in: folder) }
        removed.importRows = try removeImportRows(
            naming: intent.ids, stating: intent.withEvidence ? intent.tokens : [], in: folder)
        return removed
    }

    /// Drops the artifacts in quarantine that state one of these tokens.
    /// - Returns: the number of artifacts.
    private static func dropQuarantined(stating tokens: Set<AppAccountToken>, in folder: DataFolder) throws -> Int {
        let search = TokenSearch(tokens)
        let found = try Quarantine.digests(in: folder.quarantine).filter { digest in
            try Quarantine.item(digest, in: folder.quarantine).map { search.isStated(in: $0.artifact) } ?? false
        }
        return try Quarantine.drop(found, in: folder.quarantine)
    }

    /// Empties the rows of waiting imports that name one of these ids or state one of these tokens. The other rows keep
    /// their line numbers.
    /// - Returns: the number of rows.
    private static func removeImportRows(
        naming ids: Set<String>, stating tokens: Set<AppAccountToken>, in folder: DataFolder
    ) throws -> Int {
        let imports = Folder(folder.imports)
        let names = Set(try ids.map { try ExternalCustomerID($0).bytes })
        var removed = 0
        for name in try imports.names() where name.hasSuffix(ImportStore.rowsSuffix) {
            removed += try removeRows(in: "\(imports.path)/\(name)", naming: names, TokenSearch(tokens))
        }
        return removed
    }

    private static func removeRows(in path: String, naming ids: Set<[UInt8]>, _ search: TokenSearch) throws -> Int {
        guard let size = Quarantine.byteCount(of: path), let file = try AtomicFile.read(path, limit: size) else {
            return 0
        }
        var (kept, removed): ([UInt8], Int) = ([], 0)
        for line in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let names = (try? ImportRow(Array(line)))?.owner.map { ids.contains($0.bytes) } ?? false
            if names || search.isStated(in: Array(line)) { removed += 1 } else { kept += line }
            kept.append(UInt8(ascii: "\n"))
        }
        kept.removeLast()
        if removed > 0 { try AtomicFile.write(kept, to: path) }
        return removed
    }
}

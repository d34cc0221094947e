import CMS
import LedgerStorage
import Primitives

/// The files of anchors. For each size N: the signed checkpoint `N.checkpoint`, the request for its time stamp `N.tsq`,
/// and the accepted response `N.tsr`. Beside them the certificates of all authorities: `tsa-root.pem`, `tsa-chain.pem`.
struct AnchorFolder {
    private static let fileLimit = TimeStampResponse.byteLimit

    private let folder: Folder

    init(_ folder: DataFolder) {
        self.folder = Folder(folder.anchors)
    }

    /// Creates the folder if it is missing, and lets one process at a time write to it.
    /// - Throws: `locked`, `io_error`, `disk_full`.
    func lock() throws(StorageError) -> FolderLock {
        try folder.create()
        return try FolderLock(
            file: path("LOCK"), refusal: "another process is anchoring a checkpoint", hint: "Wait until it ends.")
    }

    /// Returns the sizes of all anchors in ascending order. A checkpoint without a request is the remains of a crash.
    func sizes() throws(StorageError) -> [UInt64] {
        let sizes = try folder.names().compactMap { name -> UInt64? in
            guard let dot = name.firstIndex(of: "."), let size = UInt64(name[..<dot]) else { return nil }
            return [Self.requestName(size), Self.responseName(size)].contains(name) ? size : nil
        }
        return Set(sizes).sorted()
    }

    /// Returns the anchor of a size; nil without a request and a response.
    /// - Throws: `log_corrupt` when a part is missing or is not a request, `io_error`.
    func anchor(ofSize size: UInt64) throws(StorageError) -> StoredAnchor? {
        let (note, request) = (try read(Self.checkpointName(size)), try read(Self.requestName(size)))
        let response = try read(Self.responseName(size))
        guard request != nil || response != nil else { return nil }
        guard let note else { throw Self.missing(Self.checkpointName(size), size) }
        guard let request else { throw Self.missing(Self.requestName(size), size) }
        do throws(TimeStampError) {
            return StoredAnchor(
                size: size, note: note, request: try TimeStampRequest(parsing: request), response: response)
        } catch {
            throw StorageError(.logCorrupt, "anchor \(size): \(error.message)", hint: Self.restoreHint)
        }
    }

    /// Returns all anchors in the order of their sizes, and the certificates for them. These are read last: they are
    /// stored before the responses that need them.
    /// - Throws: `log_corrupt`, `io_error`.
    func contents() throws(StorageError) -> (anchors: [StoredAnchor], authorities: TimeStampAuthorities) {
        var anchors: [StoredAnchor] = []
        for size in try sizes() {
            if let anchor = try anchor(ofSize: size) { anchors.append(anchor) }
        }
        return (anchors, try authorities())
    }

    /// Stores an anchor whose time stamp is pending. The request is the last file, since only it makes an anchor.
    /// - Throws: `io_error`, `disk_full`.
    func store(_ anchor: StoredAnchor) throws(StorageError) {
        try AtomicFile.write(anchor.note, to: path(Self.checkpointName(anchor.size)))
        try AtomicFile.write(anchor.request.bytes, to: path(Self.requestName(anchor.size)))
    }

    /// Stores a verified response. The certificates are stored first, so that it can be verified as soon as it is there.
    /// - Throws: `io_error`, `disk_full`.
    func store(_ response: [UInt8], ofSize size: UInt64, _ authorities: TimeStampAuthorities) throws(StorageError) {
        try store(authorities.roots, Self.rootsName)
        try store(authorities.intermediates, Self.intermediatesName)
        try AtomicFile.write(response, to: path(Self.responseName(size)))
    }

    /// Returns the certificates of the authorities of all accepted responses.
    /// - Throws: `log_corrupt` for a file without certificates, `io_error`.
    func authorities() throws(StorageError) -> TimeStampAuthorities {
        TimeStampAuthorities(
            roots: try certificates(Self.rootsName), intermediates: try certificates(Self.intermediatesName))
    }

    /// Copies the anchors. The responses precede the certificates by name, so a copy beside a writer is complete.
    /// - Throws: `io_error`, `disk_full`.
    func copy(to other: DataFolder) throws(StorageError) {
        let names = try folder.names().filter { name in
            ["checkpoint", "tsq", "tsr", "pem"].contains { name.hasSuffix(".\($0)") }
        }
        guard !names.isEmpty else { return }
        try Folder(other.anchors).create()
        try DataFolder.copySmallFiles(named: names, from: folder.path, to: other.anchors, limit: Self.fileLimit)
    }
}

extension AnchorFolder {
    private static let rootsName = "tsa-root.pem"
    private static let intermediatesName = "tsa-chain.pem"
    private static let restoreHint = "Restore the file from a backup."

    private static func checkpointName(_ size: UInt64) -> String { "\(size).checkpoint" }
    private static func requestName(_ size: UInt64) -> String { "\(size).tsq" }
    private static func responseName(_ size: UInt64) -> String { "\(size).tsr" }

    private static func missing(_ name: String, _ size: UInt64) -> StorageError {
        StorageError(.logCorrupt, "anchor \(size): \(name) is missing", hint: restoreHint)
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func read(_ name: String) throws(StorageError) -> [UInt8]? {
        try AtomicFile.read(path(name), limit: Self.fileLimit)
    }

    private func certificates(_ name: String) throws(StorageError) -> [[UInt8]] {
        guard let bytes = try read(name) else { return [] }
        do throws(TimeStampError) {
            return try CertificateFile.certificates(in: bytes)
        } catch {
            throw StorageError(
                .logCorrupt, "\(path(name)): \(error.message)", expected: error.expected, found: error.found,
                hint: Self.restoreHint)
        }
    }

    private func store(_ certificates: [[UInt8]], _ name: String) throws(StorageError) {
        let bytes = CertificateFile.bytes(of: certificates)
        guard !certificates.isEmpty, try read(name) != bytes else { return }
        guard bytes.count <= Self.fileLimit else {
            throw StorageError(
                .ioError, "too many certificates for \(path(name))", expected: "at most \(Self.fileLimit) bytes",
                found: "\(bytes.count)")
        }
        try AtomicFile.write(bytes, to: path(name))
    }
}

import CMS
import EventLog
package import LedgerAPI
import LedgerStorage
import Primitives
import TransparencyLog

/// Anchors: time stamps of checkpoints by an independent authority (RFC 3161). Whoever has one can show that the log
/// had this root at that time, against everybody who can sign other checkpoints.
///
/// Only files in `data/anchors` are written, so this works beside the writer of the ledger.
extension LedgerReader {
    /// Stores a checkpoint of the current log and the request for its time stamp. A pending request of the same size is
    /// returned again.
    /// - Parameter nonce: a random number.
    /// - Returns: the anchor, and its request in DER.
    /// - Throws: `AnchorError`: `exists`, `conflict`; `StorageError`.
    package func requestAnchor(nonce: UInt64) throws -> (anchor: AnchorRow, request: [UInt8]) {
        let folder = AnchorFolder(configuration.folder)
        let lock = try folder.lock()
        defer { withExtendedLifetime(lock) {} }
        let head = try log.head()
        let note = try signedCheckpoint(of: head).bytes
        let new = StoredAnchor(
            size: head.size, note: note,
            request: TimeStampRequest(imprint: Digest.sha256(of: note), nonce: nonce), response: nil)
        guard let stored = try folder.anchor(ofSize: head.size) else {
            try folder.store(new)
            return (AnchorRow(size: head.size, root: head.root), new.request.bytes)
        }
        guard try stored.checkpoint().root == head.root else {
            throw AnchorError(
                .conflict, "an anchor of \(head.size) events has another root", expected: head.root.hex,
                found: try stored.checkpoint().root.hex, hint: "Run `subledger audit verify`.")
        }
        guard stored.response == nil else {
            throw AnchorError(
                .exists, "the log of \(head.size) events is anchored already", hint: "Anchor it when it has grown.")
        }
        return (AnchorRow(size: head.size, root: head.root), stored.request.bytes)
    }

    /// Verifies a response and stores it with the certificates, unless it is stored already.
    /// - Parameters:
    ///   - roots: the roots of the authority in PEM; nil for those of earlier responses.
    ///   - intermediates: more of its certificates in PEM; nil if the response contains them.
    /// - Throws: `TimeStampError`; `AnchorError`: `unknown`, `exists`, `rootMissing`; `StorageError`.
    package func acceptAnchor(
        response bytes: [UInt8], roots: [UInt8]?, intermediates: [UInt8]?
    ) throws -> AnchorRow {
        let folder = AnchorFolder(configuration.folder)
        let lock = try folder.lock()
        defer { withExtendedLifetime(lock) {} }
        let response = try TimeStampResponse(parsing: bytes)
        guard let anchor = try anchor(answeredBy: response, in: folder) else {
            throw AnchorError(
                .unknown, "the response is to no request of this ledger",
                expected: "the imprint of a stored checkpoint",
                found: try response.statedImprint?.hex, hint: "Run `subledger audit anchor --list`.")
        }
        let stored = try folder.authorities()
        var authorities = TimeStampAuthorities()
        authorities.roots = try roots.map(CertificateFile.certificates) ?? stored.roots
        authorities.intermediates = try intermediates.map(CertificateFile.certificates) ?? []
        guard !authorities.roots.isEmpty else {
            throw AnchorError(.rootMissing, "no root of a time stamp authority", hint: "Use --tsa-root FILE.")
        }
        authorities.intermediates += stored.intermediates
        let timeStamp = try anchor.timeStamp(in: response, under: authorities)
        guard anchor.response == nil || anchor.response == bytes else {
            throw AnchorError(
                .exists, "another response to the request of \(anchor.size) events is stored",
                hint: "Run `subledger audit anchor --list`.")
        }
        authorities.roots = (stored.roots + authorities.roots).withoutRepetitions
        authorities.intermediates = authorities.intermediates.withoutRepetitions
        try folder.store(bytes, ofSize: anchor.size, authorities)
        return AnchorRow(anchor, root: try anchor.checkpoint().root, timeStamp)
    }

    /// Returns all anchors, ordered by size. Their time stamps are verified under the stored roots.
    package func anchors() throws -> [AnchorRow] {
        let (anchors, authorities) = try AnchorFolder(configuration.folder).contents()
        return try anchors.map { anchor in
            let root = try anchor.checkpoint().root
            do throws(TimeStampError) {
                return AnchorRow(anchor, root: root, try anchor.timeStamp(under: authorities))
            } catch {
                return AnchorRow(size: anchor.size, root: root, problem: "\(error)")
            }
        }
    }

    /// Finds the anchor with the imprint that a response states. Each checkpoint has another.
    private func anchor(
        answeredBy response: borrowing TimeStampResponse, in folder: AnchorFolder
    ) throws -> StoredAnchor? {
        guard let imprint = try response.statedImprint else { return nil }
        for size in try folder.sizes() {
            if let anchor = try folder.anchor(ofSize: size), anchor.request.imprint == imprint { return anchor }
        }
        return nil
    }
}

extension AnchorRow {
    fileprivate init(_ anchor: StoredAnchor, root: Digest, _ timeStamp: TimeStamp?) {
        self.init(size: anchor.size, root: root)
        genTime = timeStamp?.genTime
        authority = timeStamp?.authority
        serialNumber = timeStamp?.serialNumber
    }
}

extension [[UInt8]] {
    fileprivate var withoutRepetitions: [[UInt8]] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

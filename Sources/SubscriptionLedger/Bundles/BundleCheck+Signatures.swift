import AppStoreModel
import AppStoreVerification
import CMS
import EventLog
import Ingestion
import LedgerModel
import LedgerStorage
import Primitives
import TransparencyLog

extension BundleCheck {
    /// Check 5: each signature in the evidence is valid at its date under a trusted root, and the records name its
    /// certificates.
    func checkSignatures() async throws -> String {
        var policy = TrustPolicy(environments: Set(Environment.known))
        policy.configuredRoots = trust.roots
        let verifier = SignedDataVerifier(trust: policy, mistyped: .absent)
        var (count, certificates, roots) = (0, Set<Digest>(), Set<Digest>())
        for (position, state) in events where state == .present || state == .withheld {
            let record = try record(at: position)
            let file = file(of: record, state)
            let parts: [SignedPart]
            do {
                parts = try SignedPart.parts(
                    of: record, evidence(of: record, state) ?? [], isPage: state == .withheld)
            } catch let error as StorageError {
                throw BundleFinding(file, error.diagnosis.sentences)
            }
            for part in parts {
                try await verify(part, of: record, file, verifier)
                certificates.formUnion(part.chains.flatMap(\.certificates).map { Digest.sha256(of: $0) })
                count += 1
            }
            if record.rootCertificate != .zero { roots.insert(record.rootCertificate) }
        }
        try checkCertificates(certificates, roots)
        let configured = trust.roots.isEmpty ? "" : ", also under \(trust.roots.count) given roots"
        return "\(count) signed parts\(configured)"
    }

    private func file(of record: Record, _ state: BundleEntry.State) -> String {
        state == .withheld
            ? BundlePath.page(record.position) : BundlePath.evidence(record.position, record.evidenceExtension)
    }

    private func verify(
        _ part: SignedPart, of record: Record, _ file: String, _ verifier: SignedDataVerifier
    ) async throws {
        let place = part.path.map { ", in \($0)" } ?? ""
        switch await verifier.verify(part.bytes, as: part.kind, now: .latest) {
        case .failure(let refusal):
            let hint = refusal.code == .chainUntrusted ? ". Use --trust-root FILE for roots other than Apple's." : ""
            throw BundleFinding(file, "\(refusal.code.rawValue): \(refusal.reason)\(place)\(hint)")
        case .success(let artifact):
            guard part.path == nil else { return }
            let proof = artifact.proof
            guard proof.verifiedAt == record.verifiedAt, proof.leaf == record.leafCertificate,
                proof.root == record.rootCertificate
            else { throw BundleFinding(file, "the certificates or the verification time differ from the record") }
        }
    }

    /// The certificates of the bundle are those of the signatures, and the roots that records name.
    private func checkCertificates(_ needed: Set<Digest>, _ roots: Set<Digest>) throws {
        for fingerprint in needed where !zip.contains(BundlePath.certificate(fingerprint)) {
            throw BundleFinding(BundlePath.certificate(fingerprint), "missing")
        }
        for name in zip.names where name.hasPrefix("certificates/") {
            let bytes = try read(name)
            guard let der = try? CertificateFile.certificates(in: bytes), der.count == 1,
                CertificateFile.bytes(of: der) == bytes
            else { throw BundleFinding(name, "not one certificate in PEM") }
            let fingerprint = Digest.sha256(of: der[0])
            guard name == BundlePath.certificate(fingerprint),
                needed.contains(fingerprint) || roots.contains(fingerprint)
            else { throw BundleFinding(name, "not a certificate of the signatures") }
        }
    }

    /// Check 6: each time stamp is of its checkpoint, and the log still begins with the events of that.
    func checkAnchors() throws -> String {
        guard let checkpoint else { throw BundleFinding(BundlePath.checkpoint, "missing") }
        let names = zip.names.filter { $0.hasPrefix("anchors/") }
        var expected: Set<String> = [BundlePath.tsaRoot, BundlePath.tsaChain]
        let authorities = try authorities()
        var times: [String] = []
        for name in names where name.hasSuffix(".checkpoint") {
            guard let size = UInt64(name.dropFirst("anchors/".count).dropLast(".checkpoint".count)),
                name == BundlePath.anchor(size, "checkpoint")
            else { throw BundleFinding(name, "not the checkpoint of a size") }
            let stamped = try anchor(size, authorities, checkpoint)
            times.append("\(size) events at \(stamped.iso8601)")
            let files = ["checkpoint", "tsq", "tsr"].map { BundlePath.anchor(size, $0) }
            expected.formUnion(files + [BundlePath.consistency(size, checkpoint.size)])
        }
        for name in names where !expected.contains(name) { throw BundleFinding(name, "no anchor has this file") }
        let own = trust.timeStampRoots == nil ? ", under the roots in the bundle" : ""
        return times.joined(separator: ", ") + own
    }

    private func anchor(
        _ size: UInt64, _ authorities: TimeStampAuthorities, _ checkpoint: Checkpoint
    ) throws -> Instant {
        let note = try read(BundlePath.anchor(size, "checkpoint"))
        let consistency = BundlePath.consistency(size, checkpoint.size)
        do {
            let old = try Checkpoint(note: SignedNote(bytes: note), verifier: trust.logKey)
            guard let proof = ConsistencyProof(bytes: try read(consistency)), old.size == size, proof.old == size,
                proof.new == checkpoint.size, proof.verifies(old.root, checkpoint.root)
            else { throw BundleFinding(consistency, "does not lead from one checkpoint to the other") }
            let anchor = StoredAnchor(
                size: size, note: note,
                request: try TimeStampRequest(parsing: read(BundlePath.anchor(size, "tsq"))),
                response: try read(BundlePath.anchor(size, "tsr")))
            guard anchor.request.imprint == Digest.sha256(of: note) else {
                throw BundleFinding(BundlePath.anchor(size, "tsq"), "a request for other bytes")
            }
            guard let timeStamp = try anchor.timeStamp(under: authorities) else {
                throw BundleFinding(BundlePath.anchor(size, "tsr"), "missing")
            }
            return timeStamp.genTime
        } catch let error as TreeError {
            throw BundleFinding(BundlePath.anchor(size, "checkpoint"), error.diagnosis.sentences)
        } catch let error as TimeStampError {
            throw BundleFinding(BundlePath.anchor(size, "tsr"), error.diagnosis.sentences)
        }
    }

    private func authorities() throws -> TimeStampAuthorities {
        func certificates(_ name: String) throws -> [[UInt8]] {
            guard zip.contains(name) else { return [] }
            guard let certificates = try? CertificateFile.certificates(in: read(name)) else {
                throw BundleFinding(name, "no certificates in PEM")
            }
            return certificates
        }
        return TimeStampAuthorities(
            roots: try trust.timeStampRoots ?? certificates(BundlePath.tsaRoot),
            intermediates: try certificates(BundlePath.tsaChain))
    }
}

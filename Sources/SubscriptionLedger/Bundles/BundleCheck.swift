import AppStoreModel
package import AppStoreVerification
import CMS
import EventLog
import Ingestion
import LedgerModel
import Primitives
package import TransparencyLog

/// Checks a bundle without its ledger: everything that bundles promise, up to folding the events again.
///
/// Any file is accepted as input. Memory is bounded by the directory, the largest file, and the facts of 10,000 events.
package struct BundleCheck {
    /// The trust of the checker, none of it from the bundle.
    package struct Trust: Sendable {
        package var logKey: NoteVerifier
        package var bundleKey: NoteVerifier
        /// Each must have cosigned the checkpoint.
        package var witnesses: [WitnessVerifier] = []
        /// The roots of time stamp authorities, as DER; nil for those of the bundle.
        package var timeStampRoots: [[UInt8]]?
        /// Roots in addition to Apple's.
        package var roots: [ConfiguredRoot] = []

        package init(logKey: NoteVerifier, bundleKey: NoteVerifier) {
            (self.logKey, self.bundleKey) = (logKey, bundleKey)
        }

        /// - Parameter file: certificates in PEM.
        /// - Throws: `certificate_malformed`.
        package mutating func trustTimeStamps(under file: [UInt8]) throws {
            timeStampRoots = try CertificateFile.certificates(in: file)
        }
    }

    let zip: ZipReader
    let trust: Trust
    /// The events of the index, once check 3 has passed.
    var events: [(position: Position, state: BundleEntry.State)] = []
    var checkpoint: TransparencyLog.Checkpoint?

    /// - Throws: `BundleError`: `malformed`, `tooLarge`; `StorageError`.
    package init(_ path: String, _ trust: Trust) throws {
        zip = try ZipReader(path)
        self.trust = trust
    }

    /// Runs the checks in order, up to the first that fails.
    /// - Throws: `StorageError` when a file cannot be read or written.
    package mutating func run() async throws -> BundleReport {
        var report = BundleReport.unchecked
        do {
            report.pass(2, try checkSums())
            report.pass(3, try checkProofs())
            report.pass(4, try checkEvidence())
            report.pass(5, try await checkSignatures())
            if zip.names.contains(where: { $0.hasPrefix("anchors/") }) {
                report.pass(6, try checkAnchors())
            } else {
                report.skip(6, "the bundle has no anchor")
            }
            report.pass(7, try checkAnswer())
        } catch let finding as BundleFinding {
            report.fail(finding)
        } catch let error as BundleError {
            report.fail(BundleFinding("bundle", "\(error.diagnosis.sentences)"))
        }
        return report
    }
}

extension BundleReport {
    fileprivate mutating func pass(_ number: Int, _ note: String?) {
        rows[number - 2].outcome = .pass
        rows[number - 2].note = note
    }

    fileprivate mutating func skip(_ number: Int, _ note: String) { rows[number - 2].note = note }

    fileprivate mutating func fail(_ finding: BundleFinding) {
        guard let row = rows.indices.first(where: { rows[$0].outcome == .skipped && rows[$0].note == nil }) else {
            return
        }
        rows[row].outcome = .fail
        rows[row].note = "\(finding.file): \(finding.what)"
        firstBad = finding.file
    }
}

extension BundleCheck {
    func read(_ file: String) throws -> [UInt8] {
        guard zip.contains(file) else { throw BundleFinding(file, "missing") }
        return try zip.read(file)
    }

    /// Reads a file of RFC 8785 JSON in its only form.
    func json(_ file: String) throws -> JSONView {
        let bytes = try read(file)
        guard let root = try? JSONDocument(parsing: bytes).root, JSONValue(root).canonical() == bytes else {
            throw BundleFinding(file, "not RFC 8785 JSON")
        }
        return root
    }

    func record(at position: Position) throws -> Record {
        let (file, bytes) = (BundlePath.record(position), try read(BundlePath.record(position)))
        do throws(RecordError) {
            let record = try Record(reading: bytes.span.bytes)
            guard record.position == position else {
                throw RecordError(what: "position \(record.position)")
            }
            return record
        } catch {
            throw BundleFinding(file, error.what)
        }
    }

    /// Returns the bytes from which the facts of an event are read; nil when they are not in the bundle.
    func evidence(of record: Record, _ state: BundleEntry.State) throws -> [UInt8]? {
        switch state {
        case .present: try read(BundlePath.evidence(record.position, record.evidenceExtension))
        case .none: []
        case .withheld: try read(BundlePath.page(record.position))
        case .erased: nil
        }
    }

    /// Check 2: the files are those of SHA256SUMS with two more, the sums are right, and the bundle key signed them.
    private func checkSums() throws -> String {
        let sums = try read(BundlePath.sums)
        let noteBytes = try read(BundlePath.sumsNote)
        do throws(TreeError) {
            let note = try SignedNote(bytes: noteBytes)
            guard note.bytes == noteBytes, note.signatures.count == 1 else {
                throw TreeError.oneSignature
            }
            let text = try note.verifiedText(by: [trust.bundleKey])
            guard text == BundleSums.text(of: sums, by: trust.bundleKey.key.name) else {
                throw TreeError.otherText
            }
        } catch {
            throw BundleFinding(BundlePath.sumsNote, error.diagnosis.sentences)
        }
        guard trust.bundleKey.key.name == BundleKey.name(of: trust.logKey.key.name) else {
            throw BundleFinding(BundlePath.sumsNote, "the bundle key is that of another log")
        }
        guard let digests = BundleSums.digests(in: sums) else { throw BundleFinding(BundlePath.sums, "malformed") }
        for name in zip.names where ![BundlePath.sums, BundlePath.sumsNote].contains(name) {
            guard let digest = digests[name] else { throw BundleFinding(name, "not in SHA256SUMS") }
            guard try Digest.sha256(of: zip.read(name)) == digest else { throw BundleFinding(name, "another SHA-256") }
        }
        for name in digests.keys.sorted() where !zip.contains(name) { throw BundleFinding(name, "missing") }
        return "\(digests.count) files"
    }

    /// Check 4: the evidence has the digest and the length that its record states.
    private func checkEvidence() throws -> String {
        for (position, state) in events {
            let record = try record(at: position)
            let isEmpty = record.evidenceLength == 0
            switch state {
            case .present:
                let file = BundlePath.evidence(position, record.evidenceExtension)
                let evidence = try read(file)
                guard !isEmpty, evidence.count == Int(record.evidenceLength),
                    Digest.sha256(of: evidence) == record.evidenceDigest
                else { throw BundleFinding(file, "other bytes than were logged") }
            case .none:
                guard isEmpty, record.evidenceDigest == .zero else {
                    throw BundleFinding(BundlePath.index, "the evidence of position \(position) is missing")
                }
            case .withheld:
                guard !isEmpty, record.artifact == .serverAPIAnswer else {
                    throw BundleFinding(BundlePath.index, "the evidence of position \(position) is withheld")
                }
                let parts = BundlePage.texts(in: try read(BundlePath.page(position)))
                for (number, text) in parts.enumerated() {
                    let file = BundlePath.part(position, number + 1)
                    guard try read(file) == text else { throw BundleFinding(file, "not a part of the page") }
                }
            case .erased:
                guard try erasure(of: position) != nil else {
                    throw BundleFinding(BundlePath.index, "no event erased the evidence of position \(position)")
                }
            }
        }
        let withheld = events.count { $0.state == .withheld }
        let erased = events.count { $0.state == .erased }
        let rest = [withheld > 0 ? "\(withheld) withheld" : nil, erased > 0 ? "\(erased) erased" : nil]
        return (["\(events.count { $0.state == .present }) files"] + rest.compactMap { $0 }).joined(separator: ", ")
    }

    /// Returns what an event of the bundle keeps of the evidence of a position, which it erased; nil if none says so.
    func erasure(of position: Position) throws -> ErasedEvidence? {
        for (other, state) in events where state == .present && other > position {
            let record = try record(at: other)
            guard record.kind == .customerErased, let residue = try evidence(of: record, state),
                let place = ErasureEvents.places(in: residue, of: other)?[position]
            else { continue }
            return ErasedEvidence(erasedBy: other, residue: Array(residue[place.range]))
        }
        return nil
    }
}

extension TreeError {
    fileprivate static var oneSignature: TreeError { note("one signature line", "another number") }
    fileprivate static var otherText: TreeError { note("the SHA-256 of SHA256SUMS", "another text") }

    static func note(_ expected: String, _ found: String) -> TreeError {
        TreeError(.noteSignatureInvalid, "the note is not as signed", expected: expected, found: found)
    }
}

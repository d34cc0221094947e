import EventLog
import LedgerModel
import Primitives
import TransparencyLog

extension BundleCheck {
    /// Check 3: the log's key signed the checkpoint, known witnesses cosigned it, and each record is in its tree.
    mutating func checkProofs() throws -> String {
        let note = try read(BundlePath.checkpoint)
        let checkpoint: TransparencyLog.Checkpoint
        var witnessed: [String] = []
        do throws(TreeError) {
            let signed = try SignedNote(bytes: note)
            checkpoint = try TransparencyLog.Checkpoint(note: signed, verifier: trust.logKey)
            for witness in trust.witnesses {
                guard let at = try witness.cosignedAt(signed) else { throw TreeError.notCosigned(by: witness.key) }
                witnessed.append("\(witness.key.name) at \(at.iso8601)")
            }
        } catch {
            throw BundleFinding(BundlePath.checkpoint, error.diagnosis.sentences)
        }
        self.checkpoint = checkpoint
        let index = try readIndex()
        for (position, state) in events {
            let record = try record(at: position)
            guard let line = index[position], BundleEntry(record, state).matches(line) else {
                throw BundleFinding(BundlePath.index, "the line of position \(position) does not match its record")
            }
            let file = BundlePath.proof(position)
            guard let proof = try? LogProof(bytes: read(file)), proof.index == position, proof.note == note,
                proof.verifies(MerkleTree.leafHash(of: record.bytes), in: checkpoint)
            else { throw BundleFinding(file, "does not prove the record in the checkpoint") }
        }
        try requireExpectedFiles()
        return "\(events.count) events of \(checkpoint.size)"
            + (witnessed.isEmpty ? "" : ", cosigned by \(witnessed.joined(separator: ", "))")
    }

    /// Reads the events of the index, and their lines.
    private mutating func readIndex() throws -> [Position: JSONView] {
        let bytes = try read(BundlePath.index)
        events = []
        var (lines, canonical): ([Position: JSONView], [UInt8]) = ([:], [])
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let event = BundleEntry.position(line), events.last.map({ $0.position < event.position }) ?? true,
                let json = try? JSONDocument(parsing: Array(line)).root
            else { throw BundleFinding(BundlePath.index, "not lines of events in order") }
            canonical += JSONValue(json).canonical() + [UInt8(ascii: "\n")]
            events.append(event)
            lines[event.position] = json
        }
        guard canonical == bytes else { throw BundleFinding(BundlePath.index, "not lines of RFC 8785 JSON") }
        guard events.count <= LedgerReader.bundlePositionsMax else {
            throw BundleFinding(BundlePath.index, "more than \(LedgerReader.bundlePositionsMax) events")
        }
        return lines
    }

    /// Requires that no file is there for another reason than those of bundles.
    private func requireExpectedFiles() throws {
        var expected: Set<String> = [
            BundlePath.sums, BundlePath.sumsNote, BundlePath.checkpoint, BundlePath.index, BundlePath.description,
            BundlePath.readme, BundlePath.answer, BundlePath.rules, BundlePath.zone, BundlePath.members,
            BundlePath.given,
        ]
        for (position, state) in events {
            expected.formUnion([BundlePath.record(position), BundlePath.proof(position)])
            switch state {
            case .present:
                expected.insert(BundlePath.evidence(position, try record(at: position).evidenceExtension))
            case .withheld:
                expected.insert(BundlePath.page(position))
                let count = BundlePage.texts(in: try read(BundlePath.page(position))).count
                for number in 0..<count { expected.insert(BundlePath.part(position, number + 1)) }
            case .none, .erased: break
            }
        }
        for name in zip.names where !expected.contains(name) {
            // Checks 5 and 6 look at these.
            guard name.hasPrefix("certificates/") || name.hasPrefix("anchors/") else {
                throw BundleFinding(name, "no event of the index has this file")
            }
        }
    }
}

extension BundleEntry {
    /// Whether a line of the index says of an event what its record does. Roles and reasons are for people.
    fileprivate func matches(_ line: JSONView) -> Bool {
        line["kind"]?.string == kind && line["trust"]?.string == trust && line["evidence"]?.string == evidence
            && (evidence != nil || line["evidence"]?.isNull == true)
    }
}

extension TreeError {
    fileprivate static func notCosigned(by key: NoteKey) -> TreeError {
        note("a cosignature by \(key.name)+\(key.idText)", "none")
    }
}

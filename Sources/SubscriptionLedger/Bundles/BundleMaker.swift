import AppStoreVerification
import CMS
import EventLog
import FactStore
import Ingestion
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import TransparencyLog

/// Makes the files of a bundle.
struct BundleMaker {
    let ledger: LedgerReader
    let request: BundleRequest
    let question: BundleQuestion
    let rules: Rules
    let fold: BundleFold
    /// The members of a cell whose events are included; nil for another question.
    let members: [CohortMemberRow]?
    let positions: [Position]
    let extent: BundleExtent

    private var log: LogReader { ledger.log }

    func write(to path: String) throws -> WrittenBundle {
        var files = try BundleFiles()
        let note = try ledger.checkpointNote(of: extent.head).bytes
        try files.add(BundlePath.checkpoint, note)
        var contents = BundleContents()
        for position in positions {
            try WorkLimit.check()
            try add(position, note, &contents, &files)
        }
        try files.add(BundlePath.index, contents.index)
        try addAnswer(contents, &files)
        try addAnchors(&files)
        try addCertificates(contents, &files)
        let description = description(contents, size: extent.head.size)
        try files.add(BundlePath.description, description)
        let readme = BundleReadme(question: question, origin: log.origin, contents: contents, extent: extent)
        try files.add(BundlePath.readme, Array(readme.text.utf8))
        try files.sign(ledger.bundleSigner())
        try files.write(to: path)
        return WrittenBundle(
            path: path, positions: positions.count, files: files.count, size: extent.head.size,
            withheld: contents.count(.withheld), erased: contents.count(.erased))
    }

    private func add(
        _ position: Position, _ note: [UInt8], _ contents: inout BundleContents, _ files: inout BundleFiles
    ) throws {
        guard let record = try log.record(at: position) else {
            throw StorageError(.logCorrupt, "event at position \(position) is missing")
        }
        let proof = try ledger.inclusionProof(of: position, in: extent.head, note: note)
        try files.add(BundlePath.record(position), record.bytes)
        try files.add(BundlePath.proof(position), proof.bytes)
        let evidence = try log.evidence(at: position) ?? []
        guard !evidence.isEmpty else {
            return contents.add(record, record.evidenceLength == 0 ? .none : .erased, [])
        }
        let page = request.withOthers ? nil : try BundlePage(record, evidence, keys: fold.keys)
        guard let page else {
            try files.add(BundlePath.evidence(position, record.evidenceExtension), evidence)
            return contents.add(record, .present, try SignedPart.parts(of: record, evidence, isPage: false))
        }
        try files.add(BundlePath.page(position), page.json)
        for (number, part) in page.parts.enumerated() {
            try files.add(BundlePath.part(position, number + 1), part)
        }
        contents.add(record, .withheld, try SignedPart.parts(of: record, page.json, isPage: true))
    }
}

/// The parts of a bundle that its events determine.
struct BundleContents {
    private(set) var entries: [BundleEntry] = []
    private(set) var chains: Set<SignedPart.Chain> = []
    /// The receipts, which have files of their own, with their chains.
    private(set) var receipts: [(position: Position, chain: SignedPart.Chain)] = []
    /// The fingerprints of the roots in the records.
    private(set) var roots: Set<Digest> = []
    private(set) var restsOnConfiguredRoot = false

    mutating func add(_ record: Record, _ state: BundleEntry.State, _ parts: [SignedPart]) {
        entries.append(BundleEntry(record, state))
        if record.rootCertificate != .zero { roots.insert(record.rootCertificate) }
        if record.flags.contains(.configuredRoot) { restsOnConfiguredRoot = true }
        for part in parts {
            chains.formUnion(part.chains)
            if part.path == nil, part.kind == .receipt, let chain = part.chains.first {
                receipts.append((record.position, chain))
            }
        }
    }

    var index: [UInt8] { entries.reduce(into: []) { $0 += $1.json.canonical() + [UInt8(ascii: "\n")] } }

    func count(_ state: BundleEntry.State) -> Int { entries.count { $0.state == state } }

    func positions(_ role: BundleEntry.Role) -> [Position] { entries.filter { $0.role == role }.map(\.position) }
}

extension BundleMaker {
    private func description(_ contents: BundleContents, size: Position) -> JSONValue {
        let counts = Dictionary(grouping: contents.entries, by: \.trust).sorted { $0.key < $1.key }
        return .object([
            "schema": .integer(1), "origin": .string(log.origin), "size": JSONValue(position: size),
            "question": question.json,
            "counts": .object(counts.map { JSONValue.Member($0.key, JSONValue($0.value.count)) }),
            "configuredRoot": .bool(contents.restsOnConfiguredRoot), "erased": JSONValue(contents.count(.erased)),
            "withheld": JSONValue(contents.count(.withheld)),
        ])
    }

    private func addAnswer(_ contents: BundleContents, _ files: inout BundleFiles) throws {
        let zone = try zone()
        let zoneJSON = zone.map { zone in
            JSONValue.object(["name": .string(zone.name), "digest": .string(zone.digest.hex)])
        }
        let events = contents.entries.filter { [.answer, .link, .erasure].contains($0.role) }.map(\.position)
        let activation = contents.positions(.rules).last
        try files.add(
            BundlePath.answer,
            .object([
                "schema": .integer(1), "question": question.json,
                "rules": .object([
                    "digest": .string(rules.digest.hex),
                    "position": activation.map { JSONValue(position: $0) } ?? .null,
                ]),
                "catalog": JSONValue(positions: contents.positions(.catalog)),
                "rates": JSONValue(positions: contents.positions(.rates)), "zone": zoneJSON ?? .null,
                "decoder": .integer(Int64(FactIndex.layout)),
                "completeness": .object([
                    "deepAt": .null, "reconciledUntil": JSONValue(try reconciledUntil()),
                ]),
                "evidence": JSONValue(
                    positions: try JSONDocument(parsing: fold.answer.canonical()).root.statedEvidence.sorted()),
                "events": JSONValue(positions: events), "answer": try answer(),
            ]))
        try files.add(BundlePath.rules, rules.json)
        if let zoneJSON { try files.add(BundlePath.zone, zoneJSON) }
        if let all = fold.members { try files.add(BundlePath.members, CohortMemberRow.lines(of: all)) }
        if let given = request.given { try files.add(BundlePath.given, given) }
    }

    /// The answer, and for closed numbers what the whole ledger computes today at the size of the close.
    private func answer() throws -> JSONValue {
        guard case .close(_, let name, let version) = question.subject, case .object(let members) = fold.answer else {
            return fold.answer
        }
        let moved = try ledger.restatement(ofClose: "\(name)@\(version)") { $0.to = $0.from }.rows
        return .object(members + [.init("recomputed", moved.isEmpty ? .bool(true) : moved.json.read)])
    }

    private func zone() throws -> TimeZoneTable? {
        switch question.subject {
        case .cell(let cell): try TimeZoneDatabase.table(named: cell.zone ?? rules.retention.zone)
        default: nil
        }
    }

    /// The most events that are searched for the newest comparison with Apple's history.
    private static let searched: Position = 1_000_000

    private func reconciledUntil() throws -> Instant? {
        var position = question.knownAt
        let end = position - min(position, Self.searched)
        while position > end {
            position -= 1
            guard let record = try log.record(at: position), record.kind == .reconciled else { continue }
            return (try? JSONDocument(parsing: record.body).root["until"]?.string).flatMap { Instant(iso8601: $0) }
        }
        return nil
    }

    private func addAnchors(_ files: inout BundleFiles) throws {
        guard !extent.anchors.isEmpty else { return }
        for (anchor, _) in extent.anchors {
            let size = anchor.size
            try files.add(BundlePath.anchor(size, "checkpoint"), anchor.note)
            try files.add(BundlePath.anchor(size, "tsq"), anchor.request.bytes)
            try files.add(BundlePath.anchor(size, "tsr"), anchor.response ?? [])
            let proof = try ledger.consistencyProof(from: size, to: extent.head.size)
            try files.add(BundlePath.consistency(size, extent.head.size), proof.json)
        }
        try files.add(BundlePath.tsaRoot, CertificateFile.bytes(of: extent.authorities.roots))
        if !extent.authorities.intermediates.isEmpty {
            try files.add(BundlePath.tsaChain, CertificateFile.bytes(of: extent.authorities.intermediates))
        }
    }

    private func addCertificates(_ contents: BundleContents, _ files: inout BundleFiles) throws {
        var certificates = contents.chains.flatMap(\.certificates)
        // A configured root anchors by its key, and need not be the one that comes with a signature.
        certificates += ledger.configuration.trust.configuredRoots.filter { contents.roots.contains($0.fingerprint) }
            .map(\.der)
        for certificate in certificates {
            try files.add(
                BundlePath.certificate(.sha256(of: certificate)), CertificateFile.bytes(of: [certificate]))
        }
    }
}

extension JSONView {
    /// The positions in all members named `evidence` and `position`.
    fileprivate var statedEvidence: Set<Position> {
        var found: Set<Position> = []
        for element in elements ?? [] { found.formUnion(element.statedEvidence) }
        for (key, value) in members {
            if ["evidence", "position"].contains(key) {
                let numbers = [value.integer] + (value.elements ?? []).map(\.integer)
                found.formUnion(numbers.compactMap { $0 }.map { Position(clamping: $0) })
            } else {
                found.formUnion(value.statedEvidence)
            }
        }
        return found
    }
}

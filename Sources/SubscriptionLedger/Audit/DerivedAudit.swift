import EventLog
import FactStore
import Glibc
import Ingestion
import LMDB
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import Synchronization
import TransparencyLog

/// Compares the data that is derived from the log with the log: facts, their index, timelines, the duplicate index,
/// transitions and the names of quarantined items.
///
/// Data that is missing, of another version or behind the log is no fault; the report says so. Nothing is written.
final class DerivedAudit: Sendable {
    private let configuration: Ledger.Configuration
    private let log: LogReader
    private let head: TreeHead
    private let facts: Opened<FactAudit>
    private let index: FactIndex?
    let identities: Opened<IdentityAudit>
    private let differing = Mutex<Position?>(nil)

    /// Opens the derived data. Its pages are walked first, because liblmdb trusts them.
    init(
        _ configuration: Ledger.Configuration, _ log: LogReader, _ head: TreeHead,
        progress: (AuditProgress) -> Void
    ) throws {
        self.configuration = configuration
        self.log = log
        self.head = head
        let folder = configuration.folder
        let walked: (UInt64) -> Void = { progress(AuditProgress(.pages, done: $0)) }
        let mapSizeBytes = configuration.mapSizeBytes
        let opened = try Opened(folder.facts, FactAudit.databases, walked) { () -> FactIndex? in
            let index = try FactIndex(
                reading: folder, mapSizeBytes: mapSizeBytes, decoder: EventDecoder.indexedFacts)
            try index.requireEvents(of: log)
            return index
        }
        index = opened.part
        facts = try opened.map { try FactAudit(of: $0, below: head.size) }
        identities = try Opened(folder.identities, IdentityAudit.databases, walked) {
            try IdentityAudit(reading: folder, mapSizeBytes: mapSizeBytes, below: head.size)
        }
    }

    /// Decodes the facts of an event and compares them with the stored ones. Any thread may call this.
    /// - Returns: the fault of the evidence. Stored facts that differ are reported by `run`.
    func check(_ record: Record, _ evidence: EventEvidence) throws -> String? {
        let decoded: IndexedFacts
        do {
            decoded = try EventDecoder.indexedFacts(record, evidence)
        } catch let error as StorageError where error.code == .logCorrupt {
            return error.message
        }
        guard let facts = facts.part, record.position < facts.size else { return nil }
        if try !facts.matches(record, decoded) {
            differing.withLock { $0 = min($0 ?? .max, record.position) }
        }
        return nil
    }

    /// Compares everything. `check` was called with every event.
    /// - Returns: the parts up to the first that differs, and its fault.
    func run(
        progress: @escaping @Sendable (AuditProgress) -> Void
    ) throws -> (parts: [AuditReport.DerivedPart], fault: AuditFinding?) {
        var parts: [AuditReport.DerivedPart] = []
        let steps: [() throws -> DerivedResult] = [
            { [self] in factResult() }, { [self] in try indexResult(progress) },
            { [self] in try timelineResult(progress) }, { [self] in try identityResult(progress) },
            { [self] in try transitionResult(progress) }, { [self] in try quarantineResult() },
        ]
        for step in steps {
            switch try step() {
            case .part(let part): parts.append(part)
            case .differs(let what): return (parts, .derived(what: what))
            case .damaged(let what): return (parts, .structure(what: what))
            }
        }
        return (parts, nil)
    }

    fileprivate enum DerivedResult {
        case part(AuditReport.DerivedPart)
        /// The data can be rebuilt from the log.
        case differs(String)
        /// The data cannot be rebuilt.
        case damaged(String)
    }
}

// MARK: - Parts

extension DerivedAudit {
    private func factResult() -> DerivedResult {
        switch facts {
        case .damaged(let what): return .differs("the facts: \(what)")
        case .absent(let note):
            return .part(.init("facts", compared: 0, unit: "events", behind: head.size, note: note))
        case .open(let facts):
            if let position = differing.withLock({ $0 }) {
                return .differs("the facts at position \(position) are not those of its evidence")
            }
            return .part(.init("facts", compared: facts.size, unit: "events", behind: head.size - facts.size))
        }
    }

    private func indexResult(_ progress: (AuditProgress) -> Void) throws -> DerivedResult {
        guard let facts = facts.part else {
            return .part(.init("index", compared: 0, unit: "entries", note: facts.note))
        }
        if let fault = try facts.indexFault(report: { progress(AuditProgress(.indexes, share: $0)) }) {
            return .differs(fault)
        }
        return .part(.init("index", compared: facts.entryCount, unit: "entries"))
    }

    private func timelineResult(_ progress: @escaping @Sendable (AuditProgress) -> Void) throws -> DerivedResult {
        guard let facts = facts.part, let index else {
            return .part(.init("timelines", compared: 0, unit: "timelines", note: facts.note))
        }
        let audit = TimelineAudit(facts: index, size: facts.size)
        switch try audit.run(progress: progress) {
        case .success(let count): return .part(.init("timelines", compared: count, unit: "timelines"))
        case .failure(let fault): return .differs(fault.what)
        }
    }

    private func identityResult(_ progress: (AuditProgress) -> Void) throws -> DerivedResult {
        switch identities {
        case .damaged(let what): return .differs("the duplicate index: \(what)")
        case .absent(let note):
            return .part(.init("identities", compared: 0, unit: "events", behind: head.size, note: note))
        case .open(let identities):
            if let fault = try identities.fault(report: { progress(AuditProgress(.indexes, share: $0)) }) {
                return .differs(fault)
            }
            return .part(
                .init("identities", compared: identities.size, unit: "events", behind: head.size - identities.size))
        }
    }

    private func transitionResult(_ progress: @escaping @Sendable (AuditProgress) -> Void) throws -> DerivedResult {
        let folder = configuration.folder
        let opened = try Opened(folder.transitions, TransitionStore.databases, { _ in }) {
            try TransitionStore.openForReading(folder.transitions, mapSizeBytes: configuration.mapSizeBytes)
        }
        switch opened {
        case .damaged(let what): return .differs("the transitions: \(what)")
        case .absent(let note):
            return .part(.init("transitions", compared: 0, unit: "rows", behind: head.size, note: note))
        case .open(let store):
            guard let index, facts.part != nil else {
                return .part(
                    .init("transitions", compared: 0, unit: "rows", note: "needs the facts, which are not stored"))
            }
            let audit = TransitionAudit(
                store: store, facts: index, log: log, rules: ActiveRules(initial: configuration.rules, log, index))
            return try audit.result(size: head.size, progress: progress)
        }
    }

    private func quarantineResult() throws -> DerivedResult {
        let folder = configuration.folder.quarantine
        guard access(folder, R_OK | X_OK) == 0 || errno == ENOENT else {
            return .part(.init("quarantine", compared: 0, unit: "items", note: "cannot be read by this user"))
        }
        var count: UInt64 = 0
        for digest in try Quarantine.digests(in: folder) {
            // Items may be dropped meanwhile.
            guard let item = try Quarantine.item(digest, in: folder) else { continue }
            guard Digest.sha256(of: item.artifact).hex == digest, item.note?.isObject == true else {
                return .damaged("the quarantined item \(digest) has other contents")
            }
            count += 1
        }
        return .part(.init("quarantine", compared: count, unit: "items"))
    }
}

extension TransitionAudit {
    fileprivate func result(
        size: Position, progress: @escaping @Sendable (AuditProgress) -> Void
    ) throws -> DerivedAudit.DerivedResult {
        switch try run(progress: progress) {
        case .same(let rows, let processed):
            .part(.init("transitions", compared: rows, unit: "rows", behind: size - min(size, processed)))
        case .notCompared(let note): .part(.init("transitions", compared: 0, unit: "rows", note: note))
        case .differs(let what): .differs(what)
        }
    }
}

extension AuditProgress {
    fileprivate init(_ stage: Stage, share: Double) {
        self.init(stage, done: UInt64(share * 100), total: 100)
    }
}

// MARK: - Opening

/// A part of the derived data.
enum Opened<Part> {
    case open(Part)
    /// Nothing to compare.
    case absent(String)
    case damaged(String)

    /// Walks the pages of an environment, and opens it.
    /// - Throws: `io_error`.
    init(
        _ directory: String, _ databases: [(name: String, flags: Database.Flags)], _ progress: (UInt64) -> Void,
        _ open: () throws -> Part?
    ) throws {
        guard Folder(directory).exists, Folder("\(directory)/\(LMDB.Environment.dataFileName)").exists else {
            self = .absent("not stored")
            return
        }
        if let fault = try FileAudit.firstFault(in: directory, databases, progress: progress) {
            self = .damaged(fault)
            return
        }
        do {
            self = try open().map { .open($0) } ?? .absent("not stored")
        } catch let error as StorageError where error.code == .logCorrupt {
            self = .damaged(error.message)
        } catch let error as StorageError where error.code == .versionUnknown {
            self = .absent("of another version")
        }
    }

    var part: Part? {
        if case .open(let part) = self { part } else { nil }
    }

    /// The reason that there is nothing to compare.
    var note: String? {
        if case .absent(let note) = self { note } else { nil }
    }

    func map<Other>(_ transform: (Part) throws -> Other?) rethrows -> Opened<Other> {
        switch self {
        case .open(let part): try transform(part).map { .open($0) } ?? .absent("not stored")
        case .absent(let note): .absent(note)
        case .damaged(let what): .damaged(what)
        }
    }
}

extension Opened: Sendable where Part: Sendable {}

import AppStoreModel
import EventLog
import FactStore
import Ingestion
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives

/// The evidence to erase with a person, and its residue.
struct ErasurePlan {
    /// The lines of the residue, ordered by position.
    let lines: [ResidueLine]
    /// The erased events that also concern somebody else.
    let shared: [Position]
    /// The events that stay, because they concern somebody else too and state no token of the person.
    let kept: [Position]
    /// The events of earlier versions whose records, which cannot change, state a token of the person.
    let inRecords: [Position]

    static let empty = ErasurePlan(lines: [], shared: [], kept: [], inRecords: [])

    private init(lines: [ResidueLine], shared: [Position], kept: [Position], inRecords: [Position]) {
        (self.lines, self.shared, self.kept, self.inRecords) = (lines, shared, kept, inRecords)
    }

    /// - Complexity: O(n) records, and the evidence of the person's events.
    init(of person: PersonRecords, _ search: inout PersonSearch, in ledger: LedgerReader) throws {
        var content = ErasureContent(ledger)
        var (erased, shared, kept): (Set<Position>, [Position], [Position]) = ([], [], [])
        for position in person.positions {
            guard let event = try content.event(at: position), event.hasEvidence else { continue }
            let isShared = try search.isShared(event.facts, with: person)
            if event.states(any: person.tokens) || (!event.isErased && !isShared) {
                erased.formUnion(try content.positions(erasedWith: event))
                if isShared { shared.append(position) }
            } else if !event.isErased {
                kept.append(position)
            }
        }
        let pseudonyms = Pseudonyms(
            without: person.tokens, accounts: try Self.accounts(in: erased, of: person, &content, ledger))
        lines = try erased.sorted().map { position in
            guard let event = try content.event(at: position) else {
                throw StorageError(.logCorrupt, "event at position \(position) is missing")
            }
            return ResidueLine(
                position: position, bundleId: event.bundleId, facts: event.facts.map { pseudonyms.applied(to: $0) })
        }
        (self.shared, self.kept) = (shared, kept)
        inRecords = try Self.records(stating: person.tokens, in: ledger.log)
    }

    /// Returns random ids for the Apple accounts of the person that only erased evidence names. An account that other
    /// evidence names keeps its id, so that it stays one account.
    private static func accounts(
        in erased: Set<Position>, of person: PersonRecords, _ content: inout ErasureContent, _ ledger: LedgerReader
    ) throws -> [AppAccountKey: AppleID] {
        var named: Set<AppAccountKey> = []
        for position in erased {
            for keyed in try content.event(at: position)?.facts ?? [] {
                guard let account = keyed.appleAccount else { continue }
                if case .subscription(let key) = keyed.key, !person.keys.contains(key) { continue }
                named.insert(account)
            }
        }
        var accounts: [AppAccountKey: AppleID] = [:]
        for account in named.sorted() {
            let others = try ledger.facts.positions(under: IndexTerm(account)).filter { !erased.contains($0) }
            let isNamedElsewhere = try others.contains { position in
                guard let facts = try ledger.facts.facts(at: position)?.facts else { return false }
                if case .download(let claim)? = facts.customerFact { return !person.handles.contains(claim.customer) }
                return true
            }
            if !isNamedElsewhere { accounts[account] = AppleID(String(UInt64.random(in: 1 << 60..<1 << 62))) }
        }
        return accounts
    }

    /// Returns the events whose bodies state one of these tokens, which only earlier versions wrote.
    private static func records(stating tokens: Set<AppAccountToken>, in log: LogReader) throws -> [Position] {
        var found: [Position] = []
        try log.forEachRecord { record in
            guard record.kind == .tokenMapped || record.kind == .actRequested, record.artifact == .none,
                let text = try? JSONDocument(parsing: record.body).root["appAccountToken"]?.string,
                let token = AppAccountToken(text), tokens.contains(token)
            else { return }
            found.append(record.position)
        }
        return found
    }
}

/// Reads events for an erasure, each once.
struct ErasureContent {
    struct Event {
        let position: Position
        /// Whether the event has evidence, or had it.
        let hasEvidence: Bool
        let facts: [KeyedObservation]
        let bundleId: String?
        /// The identifiers of one of the ledger's own events.
        let token: AppAccountToken?
        /// The event whose residue has the facts; nil for evidence that is stored.
        let erasedBy: Position?

        var isErased: Bool { erasedBy != nil }

        func states(any tokens: Set<AppAccountToken>) -> Bool {
            token.map { tokens.contains($0) } ?? false
                || facts.contains { $0.observation.fact.appAccountToken.map { tokens.contains($0) } ?? false }
        }
    }

    private let ledger: LedgerReader
    private var known: [Position: Event] = [:]

    init(_ ledger: LedgerReader) {
        self.ledger = ledger
    }

    mutating func event(at position: Position) throws -> Event? {
        if let event = known[position] { return event }
        guard let record = try ledger.log.record(at: position),
            let evidence = try ledger.log.eventEvidence(at: position)
        else { return nil }
        let event = try Self.event(record, evidence)
        known[position] = event
        return event
    }

    private static func event(_ record: Record, _ evidence: EventEvidence) throws -> Event {
        switch evidence {
        case .erased(let erased):
            let line = try EventDecoder.residue(of: record, erased)
            return Event(
                position: record.position, hasEvidence: true, facts: line.facts, bundleId: line.bundleId, token: nil,
                erasedBy: erased.erasedBy)
        case .verbatim(let bytes):
            let isNotification = record.artifact == .notificationV2
            return Event(
                position: record.position, hasEvidence: !bytes.isEmpty,
                facts: try EventDecoder.facts(record, evidence)?.observations ?? [],
                bundleId: isNotification ? try record.bundleId(inNotification: bytes) : nil,
                token: record.artifact == .identifiers ? Identifiers(bytes)?.token : nil, erasedBy: nil)
        }
    }

    /// Returns the events whose evidence is erased with that of an event. If an earlier residue has its facts, that
    /// residue is replaced as a whole.
    mutating func positions(erasedWith event: Event) throws -> Set<Position> {
        guard let residue = event.erasedBy else { return [event.position] }
        guard let bytes = try ledger.log.evidence(at: residue),
            let places = ErasureEvents.places(in: bytes, of: residue)
        else {
            throw StorageError(.logCorrupt, "the residue at position \(residue) cannot be read")
        }
        var positions: Set<Position> = [residue]
        for position in places.keys where try self.event(at: position)?.erasedBy == residue {
            positions.insert(position)
        }
        return positions
    }
}

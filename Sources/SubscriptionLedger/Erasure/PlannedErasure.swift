import EventLog
import FactStore
import Ingestion
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives

/// An erasure before it begins.
struct PlannedErasure {
    private let request: ErasureRequest
    private let person: PersonRecords
    private let plan: ErasurePlan
    /// The erased customer; a new handle for a person without one.
    private let customer: CustomerHandle

    /// The room that stays free for the ledger itself.
    private static let margin = 64 << 20

    /// - Returns: nil when nothing is held on the id.
    /// - Throws: `customer_id_invalid`, `evidence_required`; `StorageError`.
    init?(_ request: ErasureRequest, in ledger: LedgerReader) throws {
        self.request = request
        var search = try PersonSearch(in: ledger)
        guard let person = try search.records(of: request.id) else { return nil }
        self.person = person
        if let token = try ExternalCustomerID(request.id).token, !request.withEvidence,
            try !ledger.facts.positions(under: .appAccountToken(token)).isEmpty
        {
            throw CustomerError.evidenceRequired
        }
        customer = if case .customer(let handle) = person.owner { handle } else { .random() }
        plan = request.withEvidence ? try ErasurePlan(of: person, &search, in: ledger) : .empty
    }

    /// - Throws: `disk_full`.
    func requireRoom(in folder: DataFolder) throws {
        let copied = request.withEvidence ? [folder.log, folder.facts, folder.transitions] : []
        let needed = (copied + [folder.vault]).reduce(Int64(Self.margin)) { $0 + DataFolder.bytesOnDisk(in: $1) }
        let free = Int64(clamping: try folder.freeDiskBytes())
        guard free >= needed else {
            throw StorageError(
                .diskFull, "an erasure copies the files from which it removes data", expected: "\(needed) free bytes",
                found: "\(free)", hint: "Free some space and try again.")
        }
    }

    /// Returns the events, of which the last erases the customer.
    func events(by caller: Caller, _ source: EventSource) -> [EventDraft] {
        let origin = EventOrigin(source: source, keyName: caller.keyName)
        let nonce = (0..<16).map { _ in UInt8.random(in: 0...255) }
        var parts: [[UInt8]] = [[]]
        for line in plan.lines.map(\.bytes) {
            if parts[parts.count - 1].count + line.count > ErasureEvents.residueLimit { parts.append([]) }
            parts[parts.count - 1] += line
        }
        let terms = ErasureEvents.Terms(
            customer: customer, withEvidence: request.withEvidence, by: caller.role.rawValue)
        return parts.dropLast().enumerated().map { number, lines in
            ErasureEvents.residue(lines, part: number + 1, nonce: nonce, origin)
        } + [ErasureEvents.erased(terms, residue: parts[parts.count - 1], nonce: nonce, origin)]
    }

    func intent(events: Range<Position>) -> ErasureIntent {
        ErasureIntent(
            events: events, withEvidence: request.withEvidence, handles: person.handles, ids: person.ids,
            tokens: person.tokens)
    }

    func answer(position: Position) -> ErasureAnswer {
        var answer = ErasureAnswer(erased: true, withEvidence: request.withEvidence)
        (answer.handle, answer.position, answer.evidence) = (customer.hex, position, plan.lines.count)
        (answer.shared, answer.kept, answer.inRecords) = (plan.shared, plan.kept, plan.inRecords)
        return answer
    }
}

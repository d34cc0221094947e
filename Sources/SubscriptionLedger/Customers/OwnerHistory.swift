import EventLog
import LedgerModel
import Primitives
import SubscriptionStatus

/// The changes of the owners of one key, in chronological order. A decision takes effect at its recorded time, a token
/// at the instant of its step.
struct OwnerHistory {
    /// A change with its cause.
    struct Entry {
        let at: Instant
        let change: OwnerChange
        let statement: Statement
    }

    enum Statement {
        /// The newest decision recorded at that instant.
        case decision(CustomerFact)
        case token(Source)
    }

    private(set) var entries: [Entry] = []

    /// - Parameters:
    ///   - start: the instant of the key's first row. Its owners are the initial ones, not a change.
    ///   - recordedAt: returns the recorded time of the event at a position.
    init(
        of evidence: OwnershipEvidence, directory: CustomerDirectory, after start: Instant, until end: Instant,
        rule: Rules.Customers.ClaimConflict, recordedAt: (Position) throws -> Instant
    ) throws {
        let decisions = try evidence.decisions(directory).map { (at: try recordedAt($0.position), $0) }
        let tokens = Dictionary(evidence.tokens.steps.map { ($0.from, $0.source) }) { _, last in last }
        let instants = Set(decisions.map(\.at)).union(tokens.keys).filter { $0 > start && $0 <= end }
        func owners(at instant: Instant) -> Set<Ownership.Owner> {
            let size = (decisions.last { $0.at <= instant }?.1.position).map { $0 + 1 } ?? 0
            return Ownership(
                evidence.decided(below: size), at: instant, directory: directory.known(below: size), rule: rule
            ).owners
        }
        var current = owners(at: start)
        for instant in instants.sorted() {
            try WorkLimit.check()
            let next = owners(at: instant)
            defer { current = next }
            guard next != current else { continue }
            if let decision = decisions.last(where: { $0.at == instant })?.1 {
                let change = OwnerChange(from: current, to: next, decision: decision)
                entries.append(Entry(at: instant, change: change, statement: .decision(decision)))
            } else if let source = tokens[instant] {
                let change = OwnerChange(from: current, to: next, decision: nil)
                entries.append(Entry(at: instant, change: change, statement: .token(source)))
            }
        }
    }
}

extension OwnerHistory {
    /// Returns the instant at which an owner last lost the key; nil if the owner never lost it.
    /// - Parameter directory: the merges that are known now. A customer keeps the keys of its other handles.
    func lastLoss(by owner: Ownership.Owner, _ directory: CustomerDirectory) -> Instant? {
        func includes(_ owners: Set<Ownership.Owner>) -> Bool {
            owners.contains { other in
                if case .customer(let handle) = other { return .customer(directory.customer(of: handle)) == owner }
                return other == owner
            }
        }
        return entries.last { includes($0.change.from) && !includes($0.change.to) }?.at
    }
}

extension OwnershipEvidence {
    /// The claims, transfers, merges and unmerges about the key and its customers, ordered by position.
    fileprivate func decisions(_ directory: CustomerDirectory) -> [CustomerFact] {
        let facts =
            claims.map(CustomerFact.claim) + transfers.map(CustomerFact.transfer)
            + directory.changes.map(CustomerFact.directory)
        return facts.sorted { $0.position < $1.position }
    }
}

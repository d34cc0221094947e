import AppStoreModel
package import LedgerModel
package import Primitives

/// The cause that moves a number between two log sizes.
package enum RestatementCause: String, Sendable, CaseIterable {
    case lateEvent, refund, reversal, merge, transfer, link, rule, catalogue, rate
    /// Another version of the program, or of the table of a time zone.
    case program
}

extension RestatementCause {
    /// The cause of an event that has several, for different subscriptions.
    func combined(with other: RestatementCause) -> RestatementCause {
        let order: [RestatementCause] = [.refund, .reversal]
        return order.first { $0 == self || $0 == other } ?? self
    }
}

/// The moves of numbers between two log sizes, by the event that causes each. Units are added in any order, in parts that
/// are merged.
///
/// Events are applied in order. Each change at an event is attributed to its cause, so the changes add up exactly.
package struct Restatement: Sendable {
    /// The rules, catalogues and rates from an event on.
    package struct Stage: Sendable {
        /// The log size with the event that begins the stage.
        let size: Position
        let cause: RestatementCause
        let question: Numbers.Question
        let catalogs: [Symbol: CatalogHistory]

        /// - Parameters:
        ///   - size: the log size with the event that begins the stage; the greatest number for rules given by hand.
        ///   - cause: of a move to this stage.
        package init(
            at size: Position, _ cause: RestatementCause, _ question: Numbers.Question,
            catalogs: [Symbol: CatalogHistory]
        ) {
            (self.size, self.cause, self.question, self.catalogs) = (size, cause, question, catalogs)
        }
    }

    /// A move of a number by an event.
    package struct Move: Hashable, Sendable {
        package let cell: NumberCell
        package let cause: RestatementCause
        /// The position of the event; nil for rules given by hand.
        package let position: Position?
    }

    /// The first has the log size before, the others are in the order of their events.
    private let stages: [Stage]
    private let sizes: Range<Position>
    /// The numbers of units without events between the sizes, under each stage.
    private var unchanged: [Numbers]
    private var before: [NumberCell: Int64] = [:]
    private var changes: [Move: Int64] = [:]
    private var customers = EntitledCustomers()

    /// - Parameters:
    ///   - sizes: the log sizes before and after.
    ///   - stages: the one before, then those that begin between the sizes, in their order; rules given by hand last.
    package init(_ sizes: Range<Position>, _ stages: [Stage]) {
        (self.sizes, self.stages) = (sizes, stages)
        unchanged = stages.map { Numbers($0.question) }
    }

    /// Adds the keys that Apple accounts join at the size after, with the events about their customers.
    /// - Complexity: O(e + s) evaluations of the unit for e events between the sizes and s stages.
    package mutating func add(_ unit: UnitFacts, check: () throws -> Void) rethrows {
        let events = UnitEvents(unit, in: sizes)
        guard events.positions.isEmpty else { return try replay(unit, events, check) }
        let lineages = Lineage.components(of: unit.timelines)
        var analysed = AnalysedLineages(lineages, at: stages[0].question.asOf, catalogs: stages[0].catalogs)
        var owners = Self.owners(unit, knownAt: sizes.lowerBound, stages[0])
        customers.add(owners)
        for (index, stage) in stages.enumerated() {
            if analysed.catalogs != stage.catalogs {
                analysed = AnalysedLineages(lineages, at: stage.question.asOf, catalogs: stage.catalogs)
            }
            unchanged[index].add(&analysed)
            guard index > 0, stage.cause == .rule else { continue }
            let next = Self.owners(unit, knownAt: sizes.lowerBound, stage)
            customers.move(from: owners, to: next, stage.cause, at: stage.position)
            owners = next
        }
    }

    private mutating func replay(_ unit: UnitFacts, _ events: UnitEvents, _ check: () throws -> Void) rethrows {
        var events = events
        var cells = Self.cells(unit.timelines, knownAt: sizes.lowerBound, stages[0])
        var owners = Self.owners(unit, knownAt: sizes.lowerBound, stages[0])
        for (cell, value) in cells { before[cell, default: 0] &+= value }
        customers.add(owners)
        var stage = 0
        func move(to size: Position, _ cause: RestatementCause, at position: Position) {
            let next = Self.cells(unit.timelines, knownAt: size, stages[stage])
            for cell in Set(cells.keys).union(next.keys) {
                let change = (next[cell] ?? 0) &- (cells[cell] ?? 0)
                let move = Move(cell: cell, cause: cause, position: position == .max ? nil : position)
                if change != 0 { changes[move, default: 0] &+= change }
            }
            cells = next
            let nextOwners = Self.owners(unit, knownAt: size, stages[stage])
            customers.move(from: owners, to: nextOwners, cause, at: position)
            owners = nextOwners
        }
        func enterStages(before position: Position) {
            while stage + 1 < stages.count, stages[stage + 1].position < position {
                stage += 1
                move(to: min(stages[stage].size, sizes.upperBound), stages[stage].cause, at: stages[stage].position)
            }
        }
        for position in events.positions {
            try check()
            enterStages(before: position)
            move(to: position + 1, events.cause(at: position), at: position)
        }
        enterStages(before: sizes.upperBound)
        while stage + 1 < stages.count {
            stage += 1
            move(to: sizes.upperBound, stages[stage].cause, at: stages[stage].position)
        }
    }

    private static func owners(_ unit: UnitFacts, knownAt size: Position, _ stage: Stage) -> Set<Ownership.Owner> {
        unit.entitledOwners(at: stage.question.asOf, knownAt: size, rules: stage.question.rules)
    }

    private static func cells(
        _ timelines: [SubscriptionKey: Timeline], knownAt size: Position, _ stage: Stage
    ) -> [NumberCell: Int64] {
        let known = timelines.mapValues { $0.known(at: size) }.filter { !$0.value.isEmpty }
        var numbers = Numbers(stage.question)
        // With fewer events, an account may join fewer keys.
        for lineages in Lineage.components(of: known).groupedByAccounts() {
            var analysed = AnalysedLineages(lineages, at: stage.question.asOf, catalogs: stage.catalogs)
            numbers.add(&analysed)
        }
        return numbers.cells
    }

    package mutating func merge(_ other: Restatement) {
        for index in unchanged.indices { unchanged[index].merge(other.unchanged[index]) }
        before.merge(other.before, uniquingKeysWith: &+)
        changes.merge(other.changes, uniquingKeysWith: &+)
        customers.merge(other.customers)
    }
}

extension Restatement.Stage {
    /// The event that begins the stage; the greatest number for rules given by hand.
    fileprivate var position: Position { size == .max ? .max : max(size, 1) - 1 }
}

extension Restatement {
    /// A number with its value before, and its moves.
    package struct Row: Sendable {
        package let cell: NumberCell
        package let before: Int64
        package let after: Int64
        /// Ordered by position; rules given by hand last.
        package let moves: [(move: Move, change: Int64)]
    }

    /// The numbers that move, ordered by cell. A number that moves there and back is one of them.
    package var rows: [Row] {
        let shared = unchanged.map(\.cells)
        let old = numbersBefore
        var changes = changes
        func add(_ change: Int64, _ cell: NumberCell, _ cause: RestatementCause, at position: Position) {
            let move = Move(cell: cell, cause: cause, position: position == .max ? nil : position)
            if change != 0 { changes[move, default: 0] &+= change }
        }
        for (stage, (old, new)) in zip(stages.dropFirst(), zip(shared, shared.dropFirst())) {
            for cell in Set(old.keys).union(new.keys) {
                add((new[cell] ?? 0) &- (old[cell] ?? 0), cell, stage.cause, at: stage.position)
            }
        }
        for move in customers.moves { add(move.change, .entitledCustomers, move.cause, at: move.position) }
        let moves = Dictionary(grouping: changes.filter { $0.value != 0 }, by: \.key.cell)
        return moves.keys.sorted().map { cell in
            let before = old[cell] ?? 0
            let moves = (moves[cell] ?? []).sorted { ($0.key.position ?? .max) < ($1.key.position ?? .max) }
            return Row(
                cell: cell, before: before, after: moves.reduce(before) { $0 &+ $1.value },
                moves: moves.map { ($0.key, $0.value) })
        }
    }

    /// The numbers before that are not 0.
    package var numbersBefore: [NumberCell: Int64] {
        var numbers = before.merging(unchanged[0].cells, uniquingKeysWith: &+)
        numbers[.entitledCustomers] = customers.countBefore
        return numbers.filter { $0.value != 0 }
    }
}

/// The events of a unit between two log sizes, with their causes.
private struct UnitEvents {
    /// Ascending.
    let positions: [Position]
    private var revocations: UnitRevocations
    private var customerCauses: [Position: RestatementCause] = [:]

    init(_ unit: UnitFacts, in sizes: Range<Position>) {
        var positions: Set<Position> = []
        for timeline in unit.timelines.values { timeline.collectPositions(in: sizes, &positions) }
        for event in unit.customers.events where sizes.contains(event.fact.position) {
            guard let cause = RestatementCause(event.fact) else { continue }
            positions.insert(event.fact.position)
            customerCauses[event.fact.position] = cause
        }
        self.positions = positions.sorted()
        revocations = UnitRevocations(unit.timelines, before: sizes.lowerBound)
    }

    /// Returns the cause of the moves at an event. Events are asked for in their order, each once.
    mutating func cause(at position: Position) -> RestatementCause {
        customerCauses[position] ?? revocations.cause(at: position)
    }
}

extension RestatementCause {
    /// Returns nil for an event that changes no owner.
    fileprivate init?(_ fact: CustomerFact) {
        switch fact {
        case .directory(.erasure): self = .link
        case .directory: self = .merge
        case .transfer: self = .transfer
        case .claim, .refusedClaim, .token: self = .link
        case .grant, .download, .consent: return nil
        }
    }
}

/// The revocations that the events of some keys state and lift.
private struct UnitRevocations {
    private struct Purchase: Hashable {
        let key: SubscriptionKey
        let transactionId: AppleID
    }

    private struct Statement {
        let purchase: Purchase
        /// Nil for a copy without a revocation.
        let revocationDate: Instant?
        let time: Instant
        /// Whether a copy without a revocation lifts one: only Apple's signature does.
        let isSigned: Bool
    }

    private struct Revoked {
        var dates: Set<Instant>
        /// The time of the first statement that is not lifted.
        var since: Instant
        var isLifted = false
    }

    private var statements: [Position: [Statement]] = [:]
    private var revoked: [Purchase: Revoked] = [:]

    /// - Parameter size: the log size whose events are known.
    init(_ timelines: [SubscriptionKey: Timeline], before size: Position) {
        for (key, timeline) in timelines {
            for observed in timeline.transactions {
                let statement = Statement(
                    purchase: Purchase(key: key, transactionId: observed.value.transactionId),
                    revocationDate: observed.value.revocation?.revocationDate, time: observed.source.time,
                    isSigned: observed.source.rank == .jws)
                statements[observed.source.position, default: []].append(statement)
            }
        }
        for position in statements.keys.filter({ $0 < size }).sorted() { _ = cause(at: position) }
    }

    /// Returns the cause of the moves at an event. Events are asked for in their order, each once.
    mutating func cause(at position: Position) -> RestatementCause {
        var cause = RestatementCause.lateEvent
        for statement in statements[position] ?? [] {
            guard let date = statement.revocationDate else {
                guard let known = revoked[statement.purchase], !known.isLifted, known.since < statement.time,
                    statement.isSigned
                else { continue }
                revoked[statement.purchase]?.isLifted = true
                if cause != .refund { cause = .reversal }
                continue
            }
            guard var known = revoked[statement.purchase] else {
                revoked[statement.purchase] = Revoked(dates: [date], since: statement.time)
                cause = .refund
                continue
            }
            if known.dates.insert(date).inserted, known.isLifted {
                (known.since, known.isLifted) = (statement.time, false)
                cause = .refund
            }
            revoked[statement.purchase] = known
        }
        return cause
    }
}

extension Timeline {
    fileprivate func collectPositions(in sizes: Range<Position>, _ positions: inout Set<Position>) {
        func add(_ position: Position) { if sizes.contains(position) { positions.insert(position) } }
        for observed in transactions { add(observed.source.position) }
        for observed in renewals { add(observed.source.position) }
        for observed in notifications { add(observed.source.position) }
    }
}

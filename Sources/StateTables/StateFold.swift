package import LedgerModel

/// The fold of all units into the rows of state tables, in one or more readings of the same events.
package struct StateFold: Sendable {
    private let tables: [StateTable]
    private let readings: [(reading: StateRows.Reading, question: ExportQuestion)]
    /// The sums before the first unit, for each reading.
    private let sums: [TableSums]
    /// The places of the tables of sums.
    private let summed: [Int]

    /// - Parameter questions: the question of each reading.
    package init(_ tables: [StateTable], _ questions: [StateRows.Reading: ExportQuestion]) {
        self.tables = tables
        readings = questions.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
        summed = tables.indices.filter { if case .sums = tables[$0].source { true } else { false } }
        sums = readings.map { _, question in
            TableSums(
                tables.compactMap { table in
                    guard case .sums(let makeSum) = table.source else { return nil }
                    return makeSum(question)
                })
        }
    }

    /// The sums of one thread, and the place of its rows.
    package struct Part {
        private let fold: StateFold
        private let rows: StateRows
        /// For each reading.
        package private(set) var sums: [TableSums]

        fileprivate init(_ fold: StateFold, _ rows: StateRows) {
            (self.fold, self.rows, sums) = (fold, rows, fold.sums)
        }

        /// Adds numbers to the sums of a fold with one reading.
        /// - Returns: false for a part that no fold has.
        package mutating func add(_ part: SumPart, to table: Int) -> Bool {
            guard let number = fold.summed.firstIndex(of: table), !sums.isEmpty else { return false }
            return sums[0].add(part, to: number)
        }

        /// Adds the rows of a unit.
        /// - Throws: the errors of the place of the rows.
        package mutating func add(_ facts: UnitFacts) throws {
            for (index, (reading, question)) in fold.readings.enumerated() {
                let unit = ExportUnit(facts, question)
                for (number, table) in fold.tables.enumerated() {
                    guard case .units(let fill) = table.source else { continue }
                    try rows.collect(number, reading) { try fill(unit, $0) }
                }
                sums[index].add(unit)
            }
        }
    }

    /// Calls `body` with the parts of the sums of a fold with one reading.
    package func forEachSum(of part: Part, _ body: (_ table: Int, SumPart) throws -> Void) rethrows {
        for (number, table) in summed.enumerated() {
            try part.sums.first?.forEachPart(of: number) { try body(table, $0) }
        }
    }

    /// Returns an empty part.
    /// - Parameter rows: the place of the rows.
    package func part(_ rows: StateRows) -> Part { Part(self, rows) }

    /// Adds the rows of the sums of all threads.
    /// - Parameter parts: the sums of each thread for each reading.
    /// - Throws: the errors of the place of the rows.
    package func addRows(ofSums parts: [[TableSums]], to rows: StateRows) throws {
        for (index, (reading, _)) in readings.enumerated() {
            let total = parts.reduce(into: sums[index]) { $0.merge($1[index]) }
            for (number, table) in summed.enumerated() {
                try rows.collect(table, reading) { try total.addRows(of: number, to: $0) }
            }
        }
    }
}

/// The order in which changed fields are applied, and the sets of assumptions to answer under.
package struct Attribution: Sendable {
    /// In the order of the files: those of the catalogue, then those of the rules.
    package let changes: [AssumedChange]
    /// The old assumptions, those after each change, and those after each change but the first alone.
    package let assumptions: [Assumptions]

    package init(_ changes: [AssumedChange], from old: Assumptions) {
        self.changes = changes
        var assumptions = [old]
        for change in changes {
            var next = assumptions[assumptions.count - 1]
            change.apply(&next)
            assumptions.append(next)
        }
        for change in changes.dropFirst() {
            var next = old
            change.apply(&next)
            assumptions.append(next)
        }
        self.assumptions = assumptions
    }

    /// Returns the attribution of the changes that some tables read. Other changes move nothing in them.
    package func restricted(to tables: Set<ComparedTable>) -> Attribution {
        Attribution(changes.filter { !$0.tables.isDisjoint(with: tables) }, from: assumptions[0])
    }

    /// The index of the assumptions after all changes.
    package var last: Int { changes.count }

    private func alone(_ change: Int) -> Int { change == 0 ? 1 : changes.count + change }

    /// A move of a value by a change.
    package struct Move<Value> {
        /// The index of the change.
        package let change: Int
        package let before: Value
        package let after: Value
        /// Whether the change alone moves the old value otherwise.
        package let isTogether: Bool
    }

    /// Returns the changes that move a value.
    /// - Parameter value: returns the value under the assumptions of an index.
    package func moves<Value: Equatable>(_ value: (Int) throws -> Value) rethrows -> [Move<Value>] {
        try moves(value) { $0 == $2 && $1 == $3 }
    }

    /// Returns the changes that move a number, a part of a sum.
    package func moves(ofNumber value: (Int) -> Int64) -> [Move<Int64>] {
        moves(value) { $1 &- $0 == $3 &- $2 }
    }

    /// - Parameter isEqual: compares a move, from and to, with another.
    private func moves<Value: Equatable>(
        _ value: (Int) throws -> Value, _ isEqual: (Value, Value, Value, Value) -> Bool
    ) rethrows -> [Move<Value>] {
        guard !changes.isEmpty else { return [] }
        var moves: [Move<Value>] = []
        let old = try value(0)
        var before = old
        for change in changes.indices {
            let after = try value(change + 1)
            defer { before = after }
            guard before != after else { continue }
            let isTogether = change > 0 ? !isEqual(before, after, old, try value(alone(change))) : false
            moves.append(Move(change: change, before: before, after: after, isTogether: isTogether))
        }
        return moves
    }
}

extension Attribution.Move: Sendable where Value: Sendable {}

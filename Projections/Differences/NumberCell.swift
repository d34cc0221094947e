import Primitives

/// The name of a number.
package struct NumberCell: Hashable, Sendable {
    /// A name of the subject, such as a cohort.
    package struct Label: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    package let table: ComparedTable
    package let labels: [Label]
    /// The currency of an amount in milliunits; nil for a count.
    package let currency: String?
    package let field: String

    package init(_ table: ComparedTable, _ labels: [Label], currency: String? = nil, field: String) {
        (self.table, self.labels, self.currency, self.field) = (table, labels, currency, field)
    }
}

extension NumberCell: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        if left.table != right.table { return left.table.rank < right.table.rank }
        for (one, other) in zip(left.labels, right.labels) where one != other { return one.precedes(other) }
        if left.labels.count != right.labels.count { return left.labels.count < right.labels.count }
        return (left.field, left.currency ?? "") < (right.field, right.currency ?? "")
    }
}

extension NumberCell.Label {
    fileprivate func precedes(_ other: Self) -> Bool {
        if name == other.name, let value = Int(value), let other = Int(other.value) { return value < other }
        return (name, value) < (other.name, other.value)
    }
}

extension ComparedTable {
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

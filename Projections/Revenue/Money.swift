package import Primitives

/// Amounts in milliunits, by currency. One currency is never added to another.
package struct Amounts: Hashable, Sendable {
    /// The currency is nil where a price has none.
    package struct Entry: Hashable, Sendable {
        package let currency: Symbol?
        package internal(set) var amount: Int64
    }

    /// Each currency once, in no order.
    package private(set) var entries: [Entry] = []
    /// The number of amounts that are not known.
    package internal(set) var unknownCount = 0

    package init() {}

    /// - Parameter amount: nil for an amount that is not known.
    package mutating func add(_ amount: Int64?, _ currency: Symbol?) {
        guard let amount else {
            unknownCount += 1
            return
        }
        if let index = entries.firstIndex(where: { $0.currency == currency }) {
            entries[index].amount = entries[index].amount.addingClamped(amount)
        } else {
            entries.append(Entry(currency: currency, amount: amount))
        }
    }

    /// Adds a number of amounts that are not known.
    package mutating func addUnknown(_ count: Int) { unknownCount += count }

    package mutating func add(_ other: Amounts) {
        for entry in other.entries { add(entry.amount, entry.currency) }
        unknownCount += other.unknownCount
    }

    package subscript(_ currency: Symbol?) -> Int64 { entries.first { $0.currency == currency }?.amount ?? 0 }

    package mutating func add(_ charge: Charge) { add(charge.amount, charge.currency) }
}

extension Int64 {
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }

    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}

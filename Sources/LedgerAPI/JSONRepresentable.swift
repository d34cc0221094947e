package import Primitives

/// An answer, or a part of one, with its JSON form.
package protocol JSONRepresentable: Sendable {
    var json: JSONValue { get }
}

extension Sequence where Element: JSONRepresentable {
    // A closure: key paths of a generic type are built at each call.
    package var json: JSONValue { .array(map { $0.json }) }
}

extension JSONValue {
    /// Creates a number. Positions count events and stay far below 2^63.
    package init(position: UInt64) {
        self = .integer(Int64(clamping: position))
    }

    package init(positions: [UInt64]) {
        self = .array(positions.map { JSONValue(position: $0) })
    }

    package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }

    package init(_ value: (some JSONRepresentable)?) { self = value?.json ?? .null }
}

package import Primitives

/// A named value of a cut.
package struct NamedText: Hashable, Sendable {
    package var name: String
    package var value: String?

    package init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

extension Sequence where Element == NamedText {
    package var json: JSONValue { .object(map { JSONValue.Member($0.name, JSONValue($0.value)) }) }
}

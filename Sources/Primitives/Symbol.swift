/// An interned text.
package typealias Symbol = Interned<String>

extension String: Internable {
    package static let internTable = InternTable<String>()
}

extension Interned where Value == String {
    package static let empty = Symbol("")

    package var text: String { value }
}

extension Interned: CustomStringConvertible where Value == String {
    package var description: String { text }
}

extension Interned: ExpressibleByStringLiteral, ExpressibleByUnicodeScalarLiteral,
    ExpressibleByExtendedGraphemeClusterLiteral
where Value == String {
    package init(stringLiteral text: String) {
        self.init(text)
    }
}

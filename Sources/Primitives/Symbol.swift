/// An interned text. Texts with different UTF-8 bytes are different symbols, also where Unicode counts them as equal.
package typealias Symbol = Interned<SymbolText>

package struct SymbolText: Internable {
    package static let internTable = InternTable<SymbolText>()

    package let text: String

    package static func == (left: SymbolText, right: SymbolText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension Interned where Value == SymbolText {
    package static let empty = Symbol("")

    package init(_ text: String) {
        self.init(SymbolText(text: text))
    }

    package init?(existing text: String) {
        self.init(existing: SymbolText(text: text))
    }

    package var text: String { value.text }
}

extension Interned: CustomStringConvertible where Value == SymbolText {
    package var description: String { text }
}

extension Interned: ExpressibleByStringLiteral, ExpressibleByUnicodeScalarLiteral,
    ExpressibleByExtendedGraphemeClusterLiteral
where Value == SymbolText {
    package init(stringLiteral text: String) {
        self.init(text)
    }
}

/// An interned text. Texts with different UTF-8 bytes are different symbols, also where Unicode counts them as equal.
public typealias Symbol = Interned<SymbolText>

public struct SymbolText: Internable {
    public static let internTable = InternTable<SymbolText>()

    package let text: String

    public static func == (left: SymbolText, right: SymbolText) -> Bool {
        equalBytes(left.text.utf8.span.bytes, right.text.utf8.span.bytes)
    }

    public func hash(into hasher: inout Hasher) {
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
    public var description: String { text }
}

extension Interned: ExpressibleByStringLiteral, ExpressibleByUnicodeScalarLiteral,
    ExpressibleByExtendedGraphemeClusterLiteral
where Value == SymbolText {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

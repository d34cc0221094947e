package import Primitives

/// The symbols that rows of facts hold by number.
package struct SymbolNumbers: Sendable {
    /// The symbol of each number; nil for the numbers of this process.
    private let symbols: [Symbol]?

    /// The numbers of this process, for rows in memory.
    package static let process = SymbolNumbers(symbols: nil)

    private init(symbols: [Symbol]?) {
        self.symbols = symbols
    }

    /// - Parameter symbols: the symbol of each number, from 0.
    package init(_ symbols: [Symbol]) {
        self.init(symbols: symbols)
    }

    /// Returns the symbol with a number; nil for an unknown number.
    package subscript(number: UInt32) -> Symbol? {
        guard let symbols else { return Symbol(index: number) }
        return Int(number) < symbols.count ? symbols[Int(number)] : nil
    }
}

import LedgerStorage
import Primitives

/// The numbers that a store gives to symbols, in the order of first use.
struct SymbolNumbering {
    /// The symbol of each number.
    private(set) var symbols: [Symbol] = []
    /// The number of each symbol, by its number in this process.
    private var numbers: [UInt32: UInt32] = [:]

    mutating func append(_ symbol: Symbol) {
        numbers[symbol.index] = UInt32(symbols.count)
        symbols.append(symbol)
    }

    /// Returns the store's number of a symbol, a new one if the symbol has none.
    /// - Parameter index: the number of the symbol in this process.
    mutating func number(ofSymbolAt index: UInt32) throws -> UInt32 {
        if let number = numbers[index] { return number }
        guard let symbol = Symbol(index: index) else { throw StorageError.derivedDamaged("a symbol") }
        append(symbol)
        return UInt32(symbols.count - 1)
    }
}

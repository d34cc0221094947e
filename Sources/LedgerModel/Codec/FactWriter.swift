import AppStoreModel
import Primitives

/// Writes the parts of a row in order. Each `field` adds its value and the bit of its tag, or nothing for an absent
/// value.
struct FactWriter {
    private var present: UInt64 = 0
    private var symbols: [UInt32] = []
    private var words: [UInt64] = []

    init() {
        symbols.reserveCapacity(16)
        words.reserveCapacity(32)
    }

    /// The length of symbols and words.
    var byteCount: Int { 4 * symbols.count + 8 * words.count }

    func append(to bytes: inout [UInt8]) {
        bytes.appendLittleEndian(present)
        bytes.appendLittleEndian(UInt32(symbols.count))
        for symbol in symbols { bytes.appendLittleEndian(symbol) }
        for word in words { bytes.appendLittleEndian(word) }
    }

    mutating func symbol(_ value: Symbol) {
        symbols.append(value.index)
    }

    mutating func integer(_ value: Int64) {
        words.append(UInt64(bitPattern: value))
    }

    mutating func digest(_ value: Digest) {
        words += [value.words.0, value.words.1, value.words.2, value.words.3]
    }

    /// Writes the number, or the flag of a symbol, which stands among the symbols.
    mutating func id(_ value: AppleID) {
        switch value.form {
        case .number(let number): words.append(number)
        case .symbol(let symbol):
            words.append(FactReader.symbolFlag)
            self.symbol(symbol)
        }
    }

    private mutating func wide(_ value: UInt128) {
        words += [UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value)]
    }

    /// Writes a key, and returns the number of its kind.
    mutating func key(_ key: TimelineKey) -> UInt8 {
        switch key {
        case .subscription(let key):
            symbol(key.environment.symbol)
            symbol(key.bundle)
            id(key.originalTransaction)
            return 0
        case .appAccount(let key):
            symbol(key.environment.symbol)
            symbol(key.bundle)
            switch key.account {
            case .appTransaction(let account):
                id(account)
                return 1
            case .firstDownload(let instant, let version):
                integer(instant.milliseconds)
                symbol(version)
                return 2
            }
        }
    }

    private mutating func mark(_ tag: UInt8) {
        present |= 1 << UInt64(tag)
    }
}

extension FactWriter {
    /// Writes the tag alone, for a field that Apple states only when it is true.
    mutating func flag(_ tag: UInt8, _ value: Bool) {
        if value { mark(tag) }
    }

    mutating func field(_ tag: UInt8, _ value: Symbol?) {
        guard let value else { return }
        mark(tag)
        symbol(value)
    }

    mutating func field(_ tag: UInt8, _ value: AppleID?) {
        guard let value else { return }
        mark(tag)
        id(value)
    }

    mutating func field(_ tag: UInt8, _ value: UUIDBytes?) {
        guard let value else { return }
        mark(tag)
        wide(value.value)
    }

    mutating func field(_ tag: UInt8, _ value: Int64?) {
        guard let value else { return }
        mark(tag)
        integer(value)
    }

    mutating func field(_ tag: UInt8, _ value: Instant?) {
        field(tag, value?.milliseconds)
    }

    mutating func field(_ tag: UInt8, _ value: Bool?) {
        field(tag, value.map { $0 ? 1 : 0 })
    }

    mutating func field(_ tag: UInt8, _ value: Digest?) {
        guard let value else { return }
        mark(tag)
        digest(value)
    }

    /// Writes the number of elements, and each element; nothing for an empty list.
    mutating func list<Element>(_ tag: UInt8, _ elements: [Element], _ write: (inout FactWriter, Element) -> Void) {
        guard !elements.isEmpty else { return }
        mark(tag)
        integer(Int64(elements.count))
        for element in elements { write(&self, element) }
    }

    mutating func field(_ tag: UInt8, _ value: (some OpenVocabulary)?) {
        field(tag, value?.symbol)
    }

    mutating func field(_ tag: UInt8, _ value: (some OpenNumericVocabulary)?) {
        field(tag, value?.rawValue)
    }
}

import AppStoreModel
import Primitives

/// Reads the parts of a row in order. Refuses any form that `FactWriter` does not produce.
///
/// Rebuilds read every field of every fact, so the reads are inlined, and their errors are not.
struct FactReader: ~Escapable {
    /// Marks the word of an id that is a symbol.
    static let symbolFlag: UInt64 = 1 << 63

    private let row: RawSpan
    private let numbers: SymbolNumbers
    /// The tags not read yet.
    private var present: UInt64
    private var symbolOffset = FactCodec.symbolsOffset
    private var wordOffset: Int
    private let wordsStart: Int

    /// - Throws: `truncated` when the row is shorter than its symbols.
    @_lifetime(copy row)
    @inline(__always)
    init(_ row: RawSpan, symbols numbers: SymbolNumbers) throws(FactCodecError) {
        self.row = row
        self.numbers = numbers
        present = row.littleEndian(at: 8, as: UInt64.self)
        let count = Int(row.littleEndian(at: 16, as: UInt32.self))
        wordsStart = FactCodec.symbolsOffset + 4 * count
        wordOffset = wordsStart
        guard wordsStart <= row.byteCount else {
            throw FactCodecError(.truncated, expected: "\(count) symbols", found: "\(row.byteCount) bytes")
        }
    }

    /// - Throws: `malformed` when parts remain: a tag that is unknown, or a part without a tag.
    func finish() throws(FactCodecError) {
        guard present == 0, symbolOffset == wordsStart, wordOffset == row.byteCount else {
            throw FactCodecError(
                .malformed, expected: "the end",
                found: "the tags \(present), \(wordsStart - symbolOffset) and \(row.byteCount - wordOffset) more bytes")
        }
    }

    @inline(__always)
    mutating func word() throws(FactCodecError) -> UInt64 {
        guard wordOffset + 8 <= row.byteCount else { throw .truncated("8 bytes", at: wordOffset) }
        defer { wordOffset += 8 }
        return row.littleEndian(at: wordOffset, as: UInt64.self)
    }

    /// Returns the number that the row has for the next symbol.
    @inline(__always)
    mutating func symbolNumber() throws(FactCodecError) -> UInt32 {
        guard symbolOffset < wordsStart else { throw .truncated("a symbol", at: symbolOffset) }
        defer { symbolOffset += 4 }
        return row.littleEndian(at: symbolOffset, as: UInt32.self)
    }

    @inline(__always)
    mutating func symbol() throws(FactCodecError) -> Symbol {
        let number = try symbolNumber()
        guard let symbol = numbers[number] else { throw .malformed("the number of a symbol", number) }
        return symbol
    }

    @inline(__always)
    mutating func integer() throws(FactCodecError) -> Int64 {
        Int64(bitPattern: try word())
    }

    @inline(__always)
    mutating func digest() throws(FactCodecError) -> Digest {
        Digest(words: (try word(), try word(), try word(), try word()))
    }

    @inline(__always)
    mutating func id() throws(FactCodecError) -> AppleID {
        let word = try word()
        guard word & Self.symbolFlag != 0 else { return AppleID(.number(word)) }
        guard word == Self.symbolFlag else { throw .malformed("an id below 2^63", word) }
        return try Self.id(try symbol())
    }

    /// Returns an id that is not a number.
    private static func id(_ symbol: Symbol) throws(FactCodecError) -> AppleID {
        let id = AppleID(symbol.text)
        guard case .symbol = id.form else {
            throw FactCodecError(.malformed, expected: "an id as a number", found: "its text")
        }
        return id
    }

    @inline(__always)
    private mutating func wide() throws(FactCodecError) -> UInt128 {
        UInt128(try word()) << 64 | UInt128(try word())
    }

    mutating func key(kind: UInt8) throws(FactCodecError) -> TimelineKey {
        let (environment, bundle) = (Environment(symbol: try symbol()), try symbol())
        func account(_ account: AppAccountKey.Account) -> TimelineKey {
            .appAccount(AppAccountKey(environment: environment, bundle: bundle, account: account))
        }
        switch kind {
        case 0:
            return .subscription(
                SubscriptionKey(environment: environment, bundle: bundle, originalTransaction: try id()))
        case 1: return account(.appTransaction(try id()))
        case 2: return account(.firstDownload(at: Instant(milliseconds: try integer()), version: try symbol()))
        default: throw FactCodecError(.malformed, expected: "a kind of key from 0 to 2", found: "\(kind)")
        }
    }

    /// Returns the number of an id, or the number of its symbol with the flag.
    @inline(__always)
    mutating func idNumber() throws(FactCodecError) -> UInt64 {
        let word = try word()
        return word == Self.symbolFlag ? word | UInt64(try symbolNumber()) : word
    }

    /// Returns the origin of the statement, whose parts follow the key.
    @inline(__always)
    mutating func source(
        _ rank: SourceRank, position: Position, recordedAt: Instant
    ) throws(FactCodecError) -> Source {
        let path = try symbol(0)
        guard path != .empty else { throw FactCodecError(.malformed, expected: "a path", found: "an empty one") }
        let name = ObservationName(digest: try digest(), path: path ?? .empty)
        let time = Instant(milliseconds: try integer())
        return Source(name: name, time: time, rank: rank, position: position, recordedAt: recordedAt)
    }

    /// Whether the row has this field.
    @inline(__always)
    mutating func take(_ tag: UInt8) -> Bool {
        defer { present &= ~(1 << UInt64(tag)) }
        return present & (1 << UInt64(tag)) != 0
    }
}

extension FactReader {
    @inline(__always)
    mutating func flag(_ tag: UInt8) -> Bool {
        take(tag)
    }

    @inline(__always)
    mutating func symbol(_ tag: UInt8) throws(FactCodecError) -> Symbol? {
        take(tag) ? try symbol() : nil
    }

    @inline(__always)
    mutating func appleID(_ tag: UInt8) throws(FactCodecError) -> AppleID? {
        take(tag) ? try id() : nil
    }

    @inline(__always)
    mutating func uuid(_ tag: UInt8) throws(FactCodecError) -> UUIDBytes? {
        take(tag) ? UUIDBytes(value: try wide()) : nil
    }

    @inline(__always)
    mutating func appAccountToken(_ tag: UInt8) throws(FactCodecError) -> AppAccountToken? {
        guard let uuid = try uuid(tag) else { return nil }
        guard let token = AppAccountToken(uuid: uuid) else {
            throw FactCodecError(.malformed, expected: "a token", found: "the nil UUID")
        }
        return token
    }

    @inline(__always)
    mutating func integer(_ tag: UInt8) throws(FactCodecError) -> Int64? {
        take(tag) ? try integer() : nil
    }

    @inline(__always)
    mutating func instant(_ tag: UInt8) throws(FactCodecError) -> Instant? {
        take(tag) ? Instant(milliseconds: try integer()) : nil
    }

    @inline(__always)
    mutating func digest(_ tag: UInt8) throws(FactCodecError) -> Digest? {
        take(tag) ? try digest() : nil
    }

    @inline(__always)
    mutating func bool(_ tag: UInt8) throws(FactCodecError) -> Bool? {
        guard let value = try integer(tag) else { return nil }
        guard value == 0 || value == 1 else { throw .malformed("0 or 1", value) }
        return value == 1
    }

    /// Returns an empty list for an absent field. An encoded empty list is refused.
    mutating func list<Element>(
        _ tag: UInt8, _ read: (inout FactReader) throws(FactCodecError) -> Element
    ) throws(FactCodecError) -> [Element] {
        guard let count = try integer(tag) else { return [] }
        guard count > 0 else { throw FactCodecError(.malformed, expected: "at least one element", found: "\(count)") }
        var elements: [Element] = []
        // Every element takes at least four bytes, so the loop ends with the row at the latest.
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    @inline(__always)
    mutating func vocabulary<Value: OpenVocabulary>(_ tag: UInt8) throws(FactCodecError) -> Value? {
        take(tag) ? Value(symbol: try symbol()) : nil
    }

    @inline(__always)
    mutating func vocabulary<Value: OpenNumericVocabulary>(_ tag: UInt8) throws(FactCodecError) -> Value? {
        take(tag) ? Value(rawValue: try integer()) : nil
    }
}

extension FactCodecError {
    @inline(never)
    fileprivate static func truncated(_ expected: String, at offset: Int) -> FactCodecError {
        FactCodecError(.truncated, expected: expected, found: "the end at byte \(offset)")
    }

    @inline(never)
    fileprivate static func malformed(_ expected: String, _ found: some FixedWidthInteger) -> FactCodecError {
        FactCodecError(.malformed, expected: expected, found: "\(found)")
    }
}

/// Reads consecutive elements of BER (X.690 §8), with definite and indefinite lengths.
///
/// It reads in place and allocates only for strings in several segments, so its memory is bounded by the input. Tag
/// numbers above 30, which no receipt has, are malformed.
struct BERReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private let depth: Int

    /// The nesting of constructed elements that is followed. Receipts have fewer than ten levels.
    static let depthLimit = 50

    init(_ bytes: ArraySlice<UInt8>) {
        self.init(bytes, depth: 0)
    }

    private init(_ bytes: ArraySlice<UInt8>, depth: Int) {
        self.bytes = bytes
        position = bytes.startIndex
        self.depth = depth
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// An element, whose identifier octet combines class, form and number.
    struct Element {
        let tag: UInt8
        let content: ArraySlice<UInt8>
        /// The element with its tag and length.
        let whole: ArraySlice<UInt8>
        fileprivate let depth: Int

        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let utf8String: UInt8 = 0x0C
        static let printableString: UInt8 = 0x13
        static let ia5String: UInt8 = 0x16
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31

        private static let constructed: UInt8 = 0x20

        /// A reader of the elements inside.
        var elements: BERReader { BERReader(content, depth: depth + 1) }

        /// The tag without its form: a string may be primitive or in segments.
        var type: UInt8 { tag == Self.sequence || tag == Self.set ? tag : tag & ~Self.constructed }

        /// The octets of a string, joined if they are in segments.
        var octets: ArraySlice<UInt8> {
            get throws(BERError) {
                guard tag & Self.constructed != 0 else { return content }
                var (reader, joined) = (elements, [UInt8]())
                while let segment = try reader.next() {
                    guard segment.type == type else { throw .malformed }
                    joined += try segment.octets
                }
                return joined[...]
            }
        }

        /// The value of an INTEGER; nil beyond 64 bits.
        var integer: Int64? {
            guard tag == Self.integer, (1...8).contains(content.count), let first = content.first else { return nil }
            return content.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
        }
    }

    /// Returns the next element; nil at the end.
    /// - Throws: `malformed` for an element that does not fit, `tooDeep` beyond `depthLimit`.
    /// - Complexity: O(1) for a definite length, else linear in the element.
    mutating func next() throws(BERError) -> Element? {
        guard !isAtEnd else { return nil }
        guard depth < Self.depthLimit else { throw .tooDeep }
        let start = position
        let tag = try octet()
        guard tag & 0x1F != 0x1F else { throw .malformed }
        let content: ArraySlice<UInt8>
        if let length = try length() {
            guard length <= bytes.endIndex - position else { throw .malformed }
            content = bytes[position..<position + length]
            position += length
        } else {
            // Only a constructed element may have an indefinite length.
            guard tag & 0x20 != 0 else { throw .malformed }
            content = try contentUpToEnd()
        }
        return Element(tag: tag, content: content, whole: bytes[start..<position], depth: depth)
    }

    /// Reads up to the two zero octets that end an indefinite length, and moves behind them.
    private mutating func contentUpToEnd() throws(BERError) -> ArraySlice<UInt8> {
        let start = position
        var inside = BERReader(bytes[position...], depth: depth + 1)
        while !inside.isAtEndOfContents {
            guard try inside.next() != nil else { throw .malformed }
        }
        position = inside.position + 2
        return bytes[start..<inside.position]
    }

    private var isAtEndOfContents: Bool {
        bytes.endIndex - position >= 2 && bytes[position] == 0 && bytes[position + 1] == 0
    }

    /// Returns the length; nil for an indefinite one.
    private mutating func length() throws(BERError) -> Int? {
        let first = try octet()
        guard first != 0x80 else { return nil }
        guard first > 0x80 else { return Int(first) }
        // Four octets are enough for every accepted receipt; leading zeros are allowed in BER.
        var length = 0
        for _ in 0..<first & 0x7F {
            length = length << 8 | Int(try octet())
            guard length <= UInt32.max else { throw .malformed }
        }
        return length
    }

    private mutating func octet() throws(BERError) -> UInt8 {
        guard position < bytes.endIndex else { throw .malformed }
        defer { position += 1 }
        return bytes[position]
    }
}

enum BERError: Error, Hashable {
    case malformed
    case tooDeep
}

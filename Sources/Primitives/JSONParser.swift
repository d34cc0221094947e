/// The strict parser behind `JSONDocument`. The depth limit bounds its recursion.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let depthLimit: Int
    private var position = 0
    private var nodes: [JSONNode] = []

    static func parse(_ bytes: [UInt8], depthLimit: Int) throws(JSONError) -> [JSONNode] {
        guard bytes.count < Int(UInt32.max) else { throw .tooLarge }
        let outcome: Result<[JSONNode], JSONError> = bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(bytes: buffer, depthLimit: depthLimit)
            return Result { () throws(JSONError) in try parser.document() }
        }
        return try outcome.get()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        nodes.reserveCapacity(min(bytes.count / 16 + 8, 4_096))
    }

    private mutating func document() throws(JSONError) -> [JSONNode] {
        skipWhiteSpace()
        try value(depth: 0)
        skipWhiteSpace()
        guard position == bytes.count else { throw malformed("the end") }
        return nodes
    }

    private mutating func value(depth: Int) throws(JSONError) {
        switch peek {
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try literal("true", .true)
        case UInt8(ascii: "f"): try literal("false", .false)
        case UInt8(ascii: "n"): try literal("null", .null)
        case let byte where byte == UInt8(ascii: "-") || isDigit(byte): try number()
        default: throw malformed("a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONError) {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        let node = open(.object)
        skipWhiteSpace()
        if !take(UInt8(ascii: "}")) {
            repeat {
                skipWhiteSpace()
                guard peek == UInt8(ascii: "\"") else { throw malformed("a key") }
                try string()
                skipWhiteSpace()
                guard take(UInt8(ascii: ":")) else { throw malformed("a colon") }
                skipWhiteSpace()
                try value(depth: depth)
                skipWhiteSpace()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { throw malformed("a comma or the end of the object") }
        }
        close(node)
        try refuseDuplicateKeys(of: node)
    }

    private mutating func array(depth: Int) throws(JSONError) {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        let node = open(.array)
        skipWhiteSpace()
        if !take(UInt8(ascii: "]")) {
            repeat {
                skipWhiteSpace()
                try value(depth: depth)
                skipWhiteSpace()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "]")) else { throw malformed("a comma or the end of the array") }
        }
        close(node)
    }

    private mutating func literal(_ text: StaticString, _ kind: JSONNode.Kind) throws(JSONError) {
        let start = position
        for offset in 0..<text.utf8CodeUnitCount {
            guard peek == text.utf8Start[offset] else { throw malformed("\(text)") }
            position += 1
        }
        append(kind, from: start, to: position)
    }

    /// Reads a number (RFC 8259 §6).
    private mutating func number() throws(JSONError) {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        append(.number, from: start, to: position)
    }

    private mutating func digits() throws(JSONError) {
        guard isDigit(peek) else { throw malformed("a digit") }
        while isDigit(peek) { position += 1 }
    }

    private mutating func string() throws(JSONError) {
        position += 1
        let start = position
        var kind = JSONNode.Kind.string
        while true {
            skipPlainASCII()
            switch peek {
            case UInt8(ascii: "\""):
                append(kind, from: start, to: position)
                position += 1
                return
            case UInt8(ascii: "\\"):
                kind = .escapedString
                try escape()
            case let byte? where byte >= 0x80:
                try multibyteScalar()
            default:
                throw malformed("the rest of a string")
            }
        }
    }

    /// Skips the bytes 0x20 … 0x7F except quote and backslash, eight at a time. Nearly all of a notification is nested
    /// JWS text, which this skips.
    private mutating func skipPlainASCII() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        while position &+ 8 <= bytes.count {
            // In bounds by the loop's condition.
            let word = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
                .loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let controls = word &- (ones &* 0x20)
            let stops = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | controls & ~word | word
            guard stops & tops == 0 else { break }
            position &+= 8
        }
        while let byte = peek, byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            position &+= 1
        }
    }

    private mutating func escape() throws(JSONError) {
        position += 1
        switch peek {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            let unit = try utf16Unit()
            if unit & 0xFC00 == 0xDC00 { throw malformed("a leading surrogate before a trailing one") }
            guard unit & 0xFC00 == 0xD800 else { return }
            guard take(UInt8(ascii: "\\")), peek == UInt8(ascii: "u"), try utf16Unit() & 0xFC00 == 0xDC00 else {
                throw malformed("a trailing surrogate")
            }
        default:
            throw malformed("an escape")
        }
    }

    /// Reads the four digits after `\u`. The position is at the `u`.
    private mutating func utf16Unit() throws(JSONError) -> UInt16 {
        position += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = JSONEscapes.hexValue(byte) else {
                throw malformed("a hexadecimal digit")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// Reads one well-formed sequence of Unicode's table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
    private mutating func multibyteScalar() throws(JSONError) {
        let start = position
        let lead = bytes[position]
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch lead {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xE1...0xEC, 0xEE, 0xEF: (3, 0x80...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: throw .notUTF8(offset: start)
            }
        position += 1
        for offset in 1..<length {
            guard let byte = peek, (offset == 1 ? second : 0x80...0xBF).contains(byte) else {
                throw .notUTF8(offset: start)
            }
            position += 1
        }
    }
}

extension JSONParser {
    /// The maximum number of keys to compare pairwise, which is faster than hashing them.
    private static let pairwiseKeyLimit = 48

    private func refuseDuplicateKeys(of object: Int) throws(JSONError) {
        var keys: [JSONNode] = []
        var member = object + 1
        while member < nodes.count {
            keys.append(nodes[member])
            member = Int(nodes[member + 1].next)
        }
        if keys.count <= Self.pairwiseKeyLimit, !keys.contains(where: { $0.kind == .escapedString }) {
            for (index, key) in keys.enumerated() {
                for earlier in keys[..<index] where equalBytes(key, earlier) {
                    throw .duplicateKey(text(of: key))
                }
            }
        } else {
            var seen = Set<[UInt8]>(minimumCapacity: keys.count)
            for key in keys where !seen.insert(decodedBytes(of: key)).inserted {
                throw .duplicateKey(text(of: key))
            }
        }
    }

    private func equalBytes(_ left: JSONNode, _ right: JSONNode) -> Bool {
        guard left.end &- left.start == right.end &- right.start else { return false }
        let bytes = UnsafeRawBufferPointer(bytes)
        return Primitives.equalBytes(
            UnsafeRawBufferPointer(rebasing: bytes[Int(left.start)..<Int(left.end)]),
            UnsafeRawBufferPointer(rebasing: bytes[Int(right.start)..<Int(right.end)]))
    }

    private func decodedBytes(of key: JSONNode) -> [UInt8] {
        JSONEscapes.decode(Array(bytes[Int(key.start)..<Int(key.end)])[...])
    }

    private func text(of key: JSONNode) -> String {
        String(decoding: decodedBytes(of: key), as: UTF8.self)
    }

    private var peek: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { $0 >= 48 && $0 <= 57 } ?? false
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhiteSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func open(_ kind: JSONNode.Kind) -> Int {
        append(kind, from: position, to: position)
        position += 1
        return nodes.count - 1
    }

    private mutating func close(_ node: Int) {
        nodes[node].end = UInt32(position)
        nodes[node].next = UInt32(nodes.count)
    }

    private mutating func append(_ kind: JSONNode.Kind, from start: Int, to end: Int) {
        nodes.append(
            JSONNode(kind: kind, start: UInt32(start), end: UInt32(end), next: UInt32(nodes.count + 1)))
    }

    private func malformed(_ expected: String) -> JSONError {
        .malformed(offset: position, expected: expected)
    }
}

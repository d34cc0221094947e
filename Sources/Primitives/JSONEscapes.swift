/// The escapes of RFC 8259 §7, decoding and encoding.
enum JSONEscapes {
    /// Returns the UTF-8 of a string's text, which the parser has accepted.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                decoded.append(byte)
                continue
            }
            switch letter {
            case UInt8(ascii: "b"): decoded.append(0x08)
            case UInt8(ascii: "f"): decoded.append(0x0C)
            case UInt8(ascii: "n"): decoded.append(0x0A)
            case UInt8(ascii: "r"): decoded.append(0x0D)
            case UInt8(ascii: "t"): decoded.append(0x09)
            case UInt8(ascii: "u"): decoded.append(contentsOf: scalar(&rest).utf8)
            default: decoded.append(letter)
            }
        }
        return decoded
    }

    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Character {
        let unit = utf16Unit(&rest)
        var value = UInt32(unit)
        if unit & 0xFC00 == 0xD800 {
            rest = rest.dropFirst(2)
            value = 0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(utf16Unit(&rest)) & 0x3FF)
        }
        return Character(Unicode.Scalar(value) ?? "\u{FFFD}")
    }

    private static func utf16Unit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
        let unit = rest.prefix(4).reduce(UInt16(0)) { $0 << 4 | UInt16(hexValue($1) ?? 0) }
        rest = rest.dropFirst(4)
        return unit
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
        default: nil
        }
    }

    /// Appends a quoted string with exactly the escapes that RFC 8785 §3.2.2.2 prescribes.
    static func encode(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            if bytes.contains(where: needsEscape) {
                for byte in bytes { append(byte, to: &output) }
            } else {
                output.append(contentsOf: bytes)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
        case 0x08: output += "\\b".utf8
        case 0x09: output += "\\t".utf8
        case 0x0A: output += "\\n".utf8
        case 0x0C: output += "\\f".utf8
        case 0x0D: output += "\\r".utf8
        case 0..<0x20: output += "\\u00\(Hex.encode([byte]))".utf8
        default: output.append(byte)
        }
    }
}

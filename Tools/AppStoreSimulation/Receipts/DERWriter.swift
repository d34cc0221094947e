/// Writes DER elements (X.690 §10), and on demand the indefinite lengths of BER.
enum DERWriter {
    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let null: [UInt8] = [0x05, 0x00]
    static let objectIdentifier: UInt8 = 0x06
    static let utf8String: UInt8 = 0x0C
    static let ia5String: UInt8 = 0x16
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    /// `[0]`, constructed.
    static let context0: UInt8 = 0xA0

    static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        element(tag, parts)
    }

    static func element(_ tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        let count = parts.reduce(0) { $0 + $1.count }
        return [tag] + length(count) + parts.flatMap(\.self)
    }

    static func integer(_ value: Int64) -> [UInt8] {
        var bytes = withUnsafeBytes(of: value.bigEndian) { Array($0) }
        // The shortest form: a leading octet that only repeats the sign is left out.
        while bytes.count > 1, bytes[0] == 0 && bytes[1] < 0x80 || bytes[0] == 0xFF && bytes[1] >= 0x80 {
            bytes.removeFirst()
        }
        return element(integer, bytes)
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let bytes = withUnsafeBytes(of: UInt64(count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}

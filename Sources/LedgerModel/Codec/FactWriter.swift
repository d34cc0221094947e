import AppStoreModel
import Primitives

/// Writes the parts of an encoded fact. Each `field` appends its tag and value, or nothing for an absent value.
struct FactWriter {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(256)
    }

    mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    mutating func digest(_ value: Digest) {
        value.withBytes { bytes.append(contentsOf: $0) }
    }

    mutating func string(_ value: String) {
        unsigned(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes a zigzag number, so that small numbers of either sign are short.
    mutating func integer(_ value: Int64) {
        unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

extension FactWriter {
    /// Writes the tag alone, for a field that Apple states only when it is true.
    mutating func flag(_ tag: UInt8, _ value: Bool) {
        if value { byte(tag) }
    }

    mutating func field(_ tag: UInt8, _ value: String?) {
        guard let value else { return }
        byte(tag)
        string(value)
    }

    mutating func field(_ tag: UInt8, _ value: Int64?) {
        guard let value else { return }
        byte(tag)
        integer(value)
    }

    mutating func field(_ tag: UInt8, _ value: Instant?) {
        field(tag, value?.milliseconds)
    }

    mutating func field(_ tag: UInt8, _ value: Bool?) {
        guard let value else { return }
        byte(tag)
        byte(value ? 1 : 0)
    }

    mutating func field(_ tag: UInt8, _ value: Digest?) {
        guard let value else { return }
        byte(tag)
        digest(value)
    }

    mutating func field(_ tag: UInt8, _ values: [String]) {
        guard !values.isEmpty else { return }
        byte(tag)
        unsigned(UInt64(values.count))
        for value in values { string(value) }
    }

    mutating func field(_ tag: UInt8, _ value: Symbol?) {
        field(tag, value?.text)
    }

    mutating func field(_ tag: UInt8, _ value: AppleID?) {
        field(tag, value?.text)
    }

    mutating func field(_ tag: UInt8, _ value: AppAccountToken?) {
        field(tag, value?.text)
    }

    mutating func field(_ tag: UInt8, _ value: (some OpenVocabulary)?) {
        field(tag, value?.rawValue)
    }

    mutating func field(_ tag: UInt8, _ value: (some OpenNumericVocabulary)?) {
        field(tag, value?.rawValue)
    }
}

import Primitives

/// The evidence of a stored event.
package enum EventEvidence: Sendable {
    /// The verbatim bytes; empty for an event without evidence.
    case verbatim([UInt8])
    /// The evidence was erased. A line of the residue has its facts.
    case erased(ErasedEvidence)

    /// The verbatim bytes; nil when they were erased.
    package var verbatim: [UInt8]? {
        if case .verbatim(let bytes) = self { bytes } else { nil }
    }
}

/// The facts that the log keeps of erased evidence.
package struct ErasedEvidence: Hashable, Sendable {
    /// The position of the event customerErased with the residue.
    package let erasedBy: UInt64
    /// The line of the residue.
    package let residue: [UInt8]

    package init(erasedBy: UInt64, residue: [UInt8]) {
        (self.erasedBy, self.residue) = (erasedBy, residue)
    }

    /// The app that a notification named; nil for other events.
    var bundleId: String? { try? JSONDocument(parsing: residue).root["bundleId"]?.string }

    /// Whether the line is that of an event.
    func isAbout(_ position: UInt64) -> Bool {
        (try? JSONDocument(parsing: residue).root["position"]?.integer) == Int64(clamping: position)
    }
}

/// The place of a line in a residue. The database of evidence has it in place of erased evidence:
/// `3 u8 ‖ position u64 ‖ offset u32 ‖ length u32 ‖ CRC-32 of all before`, little-endian.
package struct ResiduePlace: Hashable, Sendable {
    /// The position of the event customerErased with the residue.
    package let erasedBy: UInt64
    package let range: Range<Int>

    /// The version byte, which no packed evidence has.
    static let version: UInt8 = 3
    private static let byteCount = 1 + 8 + 4 + 4 + Checksum.byteCount

    package init(erasedBy: UInt64, range: Range<Int>) {
        self.erasedBy = erasedBy
        self.range = range
    }

    var bytes: [UInt8] {
        var bytes = [Self.version]
        bytes.appendLittleEndian(erasedBy)
        bytes.appendLittleEndian(UInt32(range.lowerBound))
        bytes.appendLittleEndian(UInt32(range.count))
        bytes.appendLittleEndian(Checksum.crc32(of: bytes.span.bytes))
        return bytes
    }

    /// - Returns: nil for packed evidence, and for damaged bytes.
    init?(_ stored: RawSpan) {
        let end = Self.byteCount - Checksum.byteCount
        guard stored.byteCount == Self.byteCount, stored.byte(at: 0) == Self.version,
            Checksum.crc32(of: stored.extracting(0..<end)) == stored.littleEndian(at: end, as: UInt32.self)
        else { return nil }
        let start = Int(stored.littleEndian(at: 9, as: UInt32.self))
        self.init(
            erasedBy: stored.littleEndian(at: 1, as: UInt64.self),
            range: start..<start + Int(stored.littleEndian(at: 13, as: UInt32.self)))
    }
}

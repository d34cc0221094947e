/// The least and the greatest value of a column chunk, in the form of statistics: PLAIN, texts without their length.
struct ChunkBounds {
    let least: [UInt8]
    let greatest: [UInt8]

    /// Texts longer than this are no bounds: they would only swell the footer.
    private static let longestText = 128

    /// Finds the bounds of values in PLAIN form, or booleans of a byte each; nil without values, and for long texts.
    init?(ofPlain values: UnsafeRawBufferPointer, type: ParquetType) {
        if values.isEmpty { return nil }
        switch type {
        case .boolean: self.init(ofNumbers: values, UInt8.self)
        case .int32: self.init(ofNumbers: values, Int32.self)
        case .int64: self.init(ofNumbers: values, Int64.self)
        case .byteArray: self.init(ofTexts: values)
        }
    }

    private init<Number: FixedWidthInteger & BitwiseCopyable>(
        ofNumbers values: UnsafeRawBufferPointer, _ type: Number.Type
    ) {
        let size = MemoryLayout<Number>.size
        var (least, greatest) = (Number.max, Number.min)
        for offset in stride(from: 0, to: values.count, by: size) {
            let value = Number(littleEndian: values.loadUnaligned(fromByteOffset: offset, as: Number.self))
            least = min(least, value)
            greatest = max(greatest, value)
        }
        self.least = withUnsafeBytes(of: least.littleEndian) { Array($0) }
        self.greatest = withUnsafeBytes(of: greatest.littleEndian) { Array($0) }
    }

    private init?(ofTexts values: UnsafeRawBufferPointer) {
        var (least, greatest) = (Self.text(in: values, at: 0), Self.text(in: values, at: 0))
        var offset = 0
        while offset < values.count {
            let text = Self.text(in: values, at: offset)
            if precedes(text, least) { least = text }
            if precedes(greatest, text) { greatest = text }
            offset += 4 + text.count
        }
        guard least.count <= Self.longestText, greatest.count <= Self.longestText else { return nil }
        self.least = Array(least)
        self.greatest = Array(greatest)
    }

    private static func text(in values: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer {
        let end = offset + ParquetType.byteArray.plainSize(in: values, at: offset)
        return UnsafeRawBufferPointer(rebasing: values[offset + 4..<end])
    }
}

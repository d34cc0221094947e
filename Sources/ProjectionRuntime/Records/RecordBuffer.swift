import Primitives

/// Records in memory: a key and a body each, both any bytes. The stored form is `keyLength u32 ‖ bodyLength u32 ‖ key ‖
/// body`, little-endian.
struct RecordBuffer: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The place of each record.
    private(set) var records: [Record] = []

    struct Record: BitwiseCopyable {
        var start: Int
        var keyLength: Int
        var bodyLength: Int

        static var headerByteCount: Int { 8 }
        var keyStart: Int { start + Self.headerByteCount }
        var end: Int { keyStart + keyLength + bodyLength }
    }

    mutating func append(key: (inout [UInt8]) -> Void, body: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.appendLittleEndian(UInt64(0))
        key(&bytes)
        let keyEnd = bytes.count
        body(&bytes)
        let keyStart = start + Record.headerByteCount
        let record = Record(start: start, keyLength: keyEnd - keyStart, bodyLength: bytes.count - keyEnd)
        let lengths = UInt64(record.keyLength) | UInt64(record.bodyLength) << 32
        for index in 0..<8 { bytes[start + index] = UInt8(truncatingIfNeeded: lengths >> (8 * UInt64(index))) }
        records.append(record)
    }

    /// Sorts the records by the bytes of their keys. Keys must be distinct.
    mutating func sort() {
        bytes.withUnsafeBytes { bytes in
            func key(_ record: Record) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[record.keyStart..<record.keyStart + record.keyLength])
            }
            records.sort { key($0).precedes(key($1)) }
        }
    }

    func stored(_ record: Record) -> ArraySlice<UInt8> { bytes[record.start..<record.end] }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
    }
}

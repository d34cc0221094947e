import Testing

/// The disk operations of a process in order, as recorded by `DiskShim` (see DiskShim.h).
struct DiskTrace {
    enum Operation {
        /// Bytes of the data file in the page cache. A later sync writes them unless the disk has refused them.
        case written(offset: Int, bytes: Range<Int>, isRefused: Bool)
        /// The same bytes again, now durable (O_DSYNC).
        case durable(offset: Int, bytes: Range<Int>)
        /// All earlier writes to the data file are durable.
        case synced
        case acknowledged(String)
        /// A new directory entry, by its path.
        case entry(String)
        /// The entries of a folder are durable.
        case entriesSynced(folder: String)
        /// A call was made to fail.
        case failed

        var concernsDisk: Bool {
            if case .acknowledged = self { false } else { true }
        }

        var isFailure: Bool {
            if case .failed = self { true } else { false }
        }
    }

    /// The bytes of the trace, into which the ranges of the operations point.
    let bytes: [UInt8]
    let operations: [Operation]

    init(_ path: String) throws {
        bytes = try File.read(path)
        var operations: [Operation] = []
        var offset = 0
        while offset < bytes.count {
            let (operation, end) = try Self.operation(in: bytes, at: offset)
            operations.append(contentsOf: operation)
            offset = end
        }
        self.operations = operations
    }

    private static let headerBytes = 24

    private static func operation(in bytes: [UInt8], at start: Int) throws -> ([Operation], end: Int) {
        func word(at offset: Int) -> Int {
            bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)) }
        }
        try #require(start + headerBytes <= bytes.count)
        let (offset, length) = (word(at: 8), word(at: 16))
        let content = start + headerBytes..<start + headerBytes + length
        try #require(content.upperBound <= bytes.count)
        let text = { String(decoding: bytes[content], as: UTF8.self) }
        let operations: [Operation]
        switch bytes[start] {
        case UInt8(ascii: "w"): operations = [.written(offset: offset, bytes: content, isRefused: false)]
        case UInt8(ascii: "c"): operations = [.written(offset: offset, bytes: content, isRefused: true)]
        case UInt8(ascii: "d"): operations = [.durable(offset: offset, bytes: content)]
        case UInt8(ascii: "s"): operations = [.synced]
        case UInt8(ascii: "a"): operations = text().split(separator: "\n").map { .acknowledged(String($0)) }
        case UInt8(ascii: "n"): operations = [.entry(text())]
        case UInt8(ascii: "f"): operations = [.entriesSynced(folder: text())]
        case UInt8(ascii: "x"): operations = [.failed]
        default: throw NotModelled(call: text())
        }
        return (operations, content.upperBound)
    }

    /// The error for a call on the data file whose effect under power loss is not modelled.
    struct NotModelled: Error { let call: String }
}

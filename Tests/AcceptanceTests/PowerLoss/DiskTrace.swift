import Testing

/// What a process has asked of the disk, in order, as `DiskShim` recorded it (see DiskShim.h).
struct DiskTrace {
    enum Operation {
        /// Bytes of the data file that are in the page cache, and may be synced from there unless the disk has
        /// refused them once.
        case written(offset: Int, bytes: Range<Int>, isRefused: Bool)
        /// The same bytes again, durable by themselves.
        case durable(offset: Int, bytes: Range<Int>)
        /// All that was written to the data file is durable.
        case synced
        case acknowledged(String)
        /// A new entry of a folder, by its path.
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

    /// Ranges of bytes are places in it.
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

    /// The process did something to the data file of which nobody here knows what a power loss makes of it.
    struct NotModelled: Error { let call: String }
}

import Glibc
import LedgerStorage
import Primitives

/// Writes a file of records through a buffer.
final class RecordFileWriter {
    private static let bufferByteCount = 1 << 20

    let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Creates the file, or empties it.
    /// - Throws: `io_error`, `disk_full`.
    init(_ path: String) throws(StorageError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be created") }
        buffer.reserveCapacity(Self.bufferByteCount + 65_536)
    }

    deinit {
        close(descriptor)
    }

    func append(_ stored: ArraySlice<UInt8>) throws(StorageError) {
        buffer += stored
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    func flush() throws(StorageError) {
        var offset = 0
        while offset < buffer.count {
            let count = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress! + offset, $0.count - offset) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StorageError(system: "\(path) cannot be written") }
            offset += count
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Makes a file durable.
    static func sync(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be opened") }
        defer { close(descriptor) }
        guard fdatasync(descriptor) == 0 else { throw StorageError(system: "\(path) cannot be synced") }
    }
}

/// Reads the records of a file in order.
final class RecordFileReader {
    private let path: String
    private let descriptor: Int32
    private let chunkByteCount: Int
    private var buffer: [UInt8] = []
    private var next = 0

    /// - Parameter chunkByteCount: the number of bytes to read at a time.
    /// - Throws: `io_error`.
    convenience init(_ path: String, chunkByteCount: Int = 1 << 20) throws(StorageError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be opened") }
        self.init(descriptor, path: path, chunkByteCount: chunkByteCount)
    }

    /// - Parameter descriptor: an open file, which the reader closes.
    init(_ descriptor: Int32, path: String, chunkByteCount: Int = 1 << 20) {
        self.descriptor = descriptor
        self.path = path
        self.chunkByteCount = chunkByteCount
    }

    deinit {
        close(descriptor)
    }

    /// Returns the next record; nil at the end of the file.
    /// - Throws: `io_error`; `log_corrupt` when the file ends within a record.
    func readNext() throws(StorageError) -> StoredRecord? {
        guard try fill(RecordBuffer.Record.headerByteCount) else {
            guard next == buffer.count else { throw damaged }
            return nil
        }
        let keyLength = Int(buffer.span.bytes.littleEndian(at: next, as: UInt32.self))
        let bodyLength = Int(buffer.span.bytes.littleEndian(at: next + 4, as: UInt32.self))
        let length = RecordBuffer.Record.headerByteCount + keyLength + bodyLength
        guard try fill(length) else { throw damaged }
        let start = next
        next += length
        return StoredRecord(stored: buffer[start..<start + length], keyLength: keyLength)
    }

    /// Returns the number of bytes of the file behind those in the buffer.
    private func unreadByteCount() throws(StorageError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StorageError(system: "\(path) cannot be read") }
        return Int(status.st_size) - Int(lseek(descriptor, 0, SEEK_CUR))
    }

    private var damaged: StorageError {
        StorageError(.logCorrupt, "\(path) ends within a record", hint: "Run `subledger project rebuild`.")
    }

    /// Reads until the buffer has `count` bytes from `next` on.
    /// - Returns: false when the file has fewer.
    private func fill(_ count: Int) throws(StorageError) -> Bool {
        let missing = count - (buffer.count - next)
        guard missing > 0 else { return true }
        // A damaged length must not take memory.
        guard missing <= (try unreadByteCount()) else { return false }
        buffer.removeFirst(next)
        next = 0
        while buffer.count < count {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: chunkByteCount) { bytes, initialized in
                // The buffer has room for the chunk, and `read` writes no more bytes than it returns.
                result = read(descriptor, bytes.baseAddress, chunkByteCount)
                initialized = max(result, 0)
            }
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw StorageError(system: "\(path) cannot be read") }
            if result == 0 { return false }
            buffer += bytes
        }
        return true
    }
}

/// A record with its stored form.
package struct StoredRecord: Sendable {
    let stored: ArraySlice<UInt8>
    let keyLength: Int

    package var key: ArraySlice<UInt8> {
        stored.dropFirst(RecordBuffer.Record.headerByteCount).prefix(keyLength)
    }

    package var body: ArraySlice<UInt8> {
        stored.dropFirst(RecordBuffer.Record.headerByteCount + keyLength)
    }
}

extension StoredRecord {
    /// Whether the key precedes that of another record, by bytes.
    func precedes(_ other: StoredRecord) -> Bool {
        key.withUnsafeBytes { left in
            other.key.withUnsafeBytes { right in left.precedes(right) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Compares like `lexicographicallyPrecedes`, many bytes at a time.
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        guard let start = baseAddress, let otherStart = other.baseAddress else { return count < other.count }
        // Both buffers have the bytes compared.
        let order = memcmp(start, otherStart, Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }
}

import Glibc
import LedgerStorage

/// An unnamed temporary file to which bytes are appended, and from which they are read again.
final class SpoolFile {
    private let descriptor: Int32
    private(set) var size = 0

    /// - Throws: `io_error`, `disk_full`.
    init() throws(StorageError) {
        let folder = try Folder.temporary()
        defer { try? folder.remove() }
        let path = folder.path + "/spool"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(system: "a temporary file cannot be created") }
        unlink(path)
    }

    deinit { close(descriptor) }

    func append(_ bytes: [UInt8]) throws(StorageError) {
        try FileBytes.write(bytes, to: descriptor, "the temporary file")
        size += bytes.count
    }

    /// - Precondition: the range is within what was appended.
    func read(_ range: Range<Int>) throws(StorageError) -> [UInt8] {
        guard let bytes = FileBytes.read(descriptor, range) else {
            throw StorageError(system: "the temporary file cannot be read")
        }
        return bytes
    }
}

/// Whole reads and writes on a file descriptor.
enum FileBytes {
    static func write(_ bytes: [UInt8], to descriptor: Int32, _ name: String) throws(StorageError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StorageError(system: "\(name) cannot be written") }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the bytes of a range; nil when the file ends before it or cannot be read.
    static func read(_ descriptor: Int32, _ range: Range<Int>) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let (start, rest) = (range.lowerBound + done, bytes.count - done)
            let count = bytes.withUnsafeMutableBytes { buffer in
                // `done` is below the count of the buffer, of which `rest` bytes remain.
                pread(descriptor, buffer.baseAddress?.advanced(by: done), rest, off_t(start))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }
}

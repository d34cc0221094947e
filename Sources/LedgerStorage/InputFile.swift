import Glibc

/// The failure to read a file.
package struct InputFailure: Error, Sendable {
    package let path: String
    package let reason: String
}

/// Reads whole files up to a limit.
package enum InputFile {
    /// Returns the bytes of a file, at most `limit` + 1, so that the caller can refuse a longer file.
    /// - Parameter path: `-` is standard input.
    package static func bytes(of path: String, limit: Int) throws(InputFailure) -> [UInt8] {
        var reader = try ChunkReader(path: path)
        return try reader.bytes(limit: limit)
    }

    /// Returns the bytes of a file like `bytes(of:limit:)`, unless a regular file changed while it was read.
    /// - Parameter afterReading: called between the last read and the check.
    /// - Throws: `InputFailure`; the errors of `afterReading`.
    package static func unchangedBytes(
        of path: String, limit: Int, afterReading: () throws -> Void
    ) throws -> [UInt8] {
        var reader = try ChunkReader(path: path)
        let version = try reader.version()
        let bytes = try reader.bytes(limit: limit)
        try afterReading()
        guard try reader.version() == version else {
            throw InputFailure(path: path, reason: "a change while it was read")
        }
        return bytes
    }
}

/// The size and the times of a regular file. A write, a truncation and a replacement by another file change them.
private struct FileVersion: Equatable {
    let size: Int
    let modified: [Int]

    /// - Returns: nil for a pipe or a device, which only its reader empties.
    init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int(status.st_size)
        modified = [status.st_mtim, status.st_ctim].flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
    }
}

/// Reads the lines of a file, without line feeds. A line is truncated to `limit` + 1 bytes, so that the caller can
/// refuse a longer line.
package struct LineReader: ~Copyable {
    private var chunks: ChunkReader
    private let limit: Int
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// - Parameter path: `-` is standard input.
    package init(path: String, limit: Int) throws(InputFailure) {
        chunks = try ChunkReader(path: path)
        self.limit = limit
    }

    package mutating func next() throws(InputFailure) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = nextLineEnd {
                append(buffer[position..<end], to: &line)
                position = end + 1
                return line
            }
            append(buffer[position...], to: &line)
            guard !isAtEnd, let chunk = try chunks.next() else {
                isAtEnd = true
                (buffer, position) = ([], 0)
                return line.isEmpty ? nil : line
            }
            (buffer, position) = (chunk, 0)
        }
    }

    /// The index of the next line feed. Lines have about 15 KB, so `memchr` is worthwhile.
    private var nextLineEnd: Int? {
        buffer.withUnsafeBytes { buffer in
            // In bounds: `position` is at most the buffer's count. An empty buffer has no address.
            guard let start = buffer.baseAddress,
                let found = memchr(start + position, Int32(UInt8(ascii: "\n")), buffer.count - position)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
        line += bytes.prefix(limit + 1 - line.count)
    }
}

/// Reads a file in chunks.
package struct ChunkReader: ~Copyable {
    private static let chunkSize = 1 << 18

    private let path: String
    private let descriptor: Int32

    /// - Parameter path: `-` is standard input.
    package init(path: String) throws(InputFailure) {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputFailure(path: path, reason: String(cString: strerror(errno))) }
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    fileprivate func version() throws(InputFailure) -> FileVersion? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw InputFailure(path: path, reason: String(cString: strerror(errno)))
        }
        return FileVersion(status)
    }

    /// Returns the rest of the file, at most `limit` + 1 bytes.
    fileprivate mutating func bytes(limit: Int) throws(InputFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit, let chunk = try next() {
            bytes += chunk.prefix(limit + 1 - bytes.count)
        }
        return bytes
    }

    /// Returns the next bytes; nil at the end.
    package mutating func next() throws(InputFailure) -> [UInt8]? {
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, initialized in
                // The buffer has room for chunkSize bytes, and `read` writes no more bytes than it returns.
                count = read(descriptor, buffer.baseAddress, Self.chunkSize)
                initialized = max(count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw InputFailure(path: path, reason: String(cString: strerror(errno))) }
            return count == 0 ? nil : chunk
        }
    }
}

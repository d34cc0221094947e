import Glibc
import LedgerStorage
import Primitives

import struct Crypto.SHA256

/// The rows of an import, received completely. They are named by the SHA-256 of the file, so that the same file is the
/// same import.
package struct ImportFile: Hashable, Sendable {
    let digest: Digest
    let path: String

    init(_ digest: Digest, _ path: String) {
        self.digest = digest
        self.path = path
    }

    /// Returns the caller that posted the file. A line before the rows names it.
    /// - Throws: `io_error` for a file without one.
    func caller() throws -> Caller {
        var lines = try ImportLines(self)
        return try lines.caller()
    }
}

/// The lines of an import. They are not kept in memory.
struct ImportLines: ~Copyable {
    private let path: String
    private var lines: LineReader
    private var number = 0

    init(_ file: ImportFile) throws {
        path = file.path
        do throws(InputFailure) {
            lines = try LineReader(path: file.path, limit: ImportRow.byteLimit)
        } catch {
            throw error.storageError
        }
    }

    /// Reads the first line.
    mutating func caller() throws -> Caller {
        guard let line = try read(), let json = try? JSONDocument(parsing: line).root,
            let role = (json["role"]?.string).flatMap(Caller.Role.init(rawValue:))
        else { throw StorageError(.ioError, "\(path) has no first line that names its caller") }
        return Caller(role, keyName: json["key"]?.string)
    }

    /// Returns the next line that is not empty, with its number from 1.
    mutating func next() throws -> (number: Int, bytes: [UInt8])? {
        while let line = try read() {
            number += 1
            if !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }) {
                return (number, line)
            }
        }
        return nil
    }

    private mutating func read() throws -> [UInt8]? {
        do throws(InputFailure) {
            return try lines.next()
        } catch {
            throw error.storageError
        }
    }
}

extension InputFailure {
    fileprivate var storageError: StorageError { StorageError(.ioError, "\(path) cannot be read", found: reason) }
}

/// A file of rows while it is received.
package final class IncomingImport {
    static let suffix = ".incoming"

    private let path: String
    private let descriptor: Int32
    private var hash = SHA256()

    /// - Throws: `io_error`, `disk_full`.
    init(in folder: Folder, by caller: Caller) throws {
        path = "\(folder.path)/\(Hex.encode(UInt64.random(in: 0 ... .max).bigEndianBytes))\(Self.suffix)"
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be created") }
        let header = JSONValue.object([
            .init("role", .string(caller.role.rawValue)), .init("key", JSONValue(caller.keyName)),
        ])
        try store(Array(header.serialized().utf8) + [UInt8(ascii: "\n")])
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// - Throws: `io_error`, `disk_full`.
    package func write(_ bytes: [UInt8]) throws {
        hash.update(data: bytes)
        try store(bytes)
    }

    private func store(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StorageError(system: "the rows of an import cannot be stored") }
            rest = rest.dropFirst(count)
        }
    }

    /// The SHA-256 of what was written.
    var digest: Digest { Digest(hash.finalize()) }

    /// Makes the file durable under its name.
    func keep(at destination: String) throws {
        guard fsync(descriptor) == 0, rename(path, destination) == 0 else {
            throw StorageError(system: "the rows of an import cannot be stored")
        }
        try AtomicFile.syncFolder(of: destination)
    }
}

import Glibc
import LedgerStorage
import Primitives

/// Reads a ZIP file in the form of bundles, and no other: each byte of the file has its only possible value, given the
/// names and the contents. So entries cannot overlap, hide, repeat or lead out of a folder.
///
/// Contents are read on request, so that memory is bounded by the directory and the largest entry.
final class ZipReader {
    private let descriptor: Int32
    private let places: [String: (entry: ZipFormat.Entry, start: Int)]
    /// The names of the entries, ascending.
    let names: [String]

    /// - Throws: `BundleError`: `malformed`, `tooLarge`; `StorageError`: `io_error`.
    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(system: "\(path) cannot be opened") }
        do {
            let entries = try Self.directory(of: descriptor)
            names = entries.map(\.entry.name)
            places = Dictionary(entries.map { ($0.entry.name, $0) }) { first, _ in first }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    func contains(_ name: String) -> Bool { places[name] != nil }

    /// Returns the contents of an entry.
    /// - Throws: `malformed` when there is none, or when they do not match their checksum.
    func read(_ name: String) throws -> [UInt8] {
        guard let place = places[name] else { throw Self.malformed("a file \(name)", "none") }
        guard let bytes = FileBytes.read(descriptor, place.start..<place.start + place.entry.size) else {
            throw StorageError(system: "\(name) cannot be read")
        }
        guard ZipFormat.crc(of: bytes) == place.entry.crc else {
            throw Self.malformed("the contents of \(name) with their checksum", "others")
        }
        return bytes
    }

    private static func directory(of descriptor: Int32) throws -> [(entry: ZipFormat.Entry, start: Int)] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StorageError(system: "the bundle cannot be examined") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw malformed("a regular file", "another") }
        let size = Int(status.st_size)
        guard size >= ZipFormat.endBytes else { throw malformed("a ZIP file", "\(size) bytes") }
        guard size <= ZipFormat.bytesMax else {
            throw BundleError(.tooLarge, "the bundle is too large", expected: "less than 4 GiB", found: "more")
        }
        let end = try bytes(descriptor, size - ZipFormat.endBytes..<size)
        let (count, length, start) = (number(end, 10, 2), number(end, 12, 4), number(end, 16, 4))
        let directory = start..<start + length
        guard directory.upperBound == size - ZipFormat.endBytes,
            count * ZipFormat.centralHeaderBytes <= length,
            length <= count * (ZipFormat.centralHeaderBytes + ZipFormat.nameBytesMax),
            end == ZipFormat.end(entries: count, directory: directory)
        else { throw malformed("a directory at the end, without comments", "another end") }
        return try entries(descriptor, try bytes(descriptor, directory), count, endingAt: start)
    }

    private static func entries(
        _ descriptor: Int32, _ directory: [UInt8], _ count: Int, endingAt end: Int
    ) throws -> [(entry: ZipFormat.Entry, start: Int)] {
        var entries: [(entry: ZipFormat.Entry, start: Int)] = []
        var (place, offset) = (0, 0)
        for _ in 0..<count {
            guard place + ZipFormat.centralHeaderBytes <= directory.count else {
                throw malformed("\(count) entries", "fewer")
            }
            let nameStart = place + ZipFormat.centralHeaderBytes
            let nameEnd = nameStart + number(directory, place + 28, 2)
            guard nameEnd <= directory.count else { throw malformed("\(count) entries", "fewer") }
            let name = String(decoding: directory[nameStart..<nameEnd], as: UTF8.self)
            let entry = ZipFormat.Entry(
                name: name, size: number(directory, place + 24, 4), crc: UInt32(number(directory, place + 16, 4)))
            guard ZipFormat.isName(name), entries.last.map({ $0.entry.name < name }) ?? true else {
                throw malformed("ascending relative ASCII names", "another name")
            }
            guard entry.size <= ZipFormat.entryBytesMax else {
                throw BundleError(
                    .tooLarge, "\(name) is too large", expected: "at most \(ZipFormat.entryBytesMax) bytes",
                    found: "\(entry.size)")
            }
            let header = ZipFormat.localHeader(of: entry)
            let contents = offset + header.count
            guard directory[place..<nameEnd].elementsEqual(ZipFormat.centralHeader(of: entry, at: offset)),
                contents + entry.size <= end, try bytes(descriptor, offset..<contents) == header
            else { throw malformed("a stored entry \(name) in its place", "another") }
            entries.append((entry, contents))
            (place, offset) = (nameEnd, contents + entry.size)
        }
        guard place == directory.count, offset == end else { throw malformed("\(count) entries and no more", "more") }
        return entries
    }

    private static func bytes(_ descriptor: Int32, _ range: Range<Int>) throws -> [UInt8] {
        guard let bytes = FileBytes.read(descriptor, range) else {
            throw StorageError(system: "the bundle cannot be read")
        }
        return bytes
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }

    private static func malformed(_ expected: String, _ found: String) -> BundleError {
        BundleError(
            .malformed, "not a bundle", expected: expected, found: found,
            hint: "Bundles are written by `subledger audit bundle`. A ZIP file repacked by another program is refused.")
    }
}

import EventLog
import Primitives

/// The only form of the ZIP files of bundles: entries in the order of their ASCII names, stored, dated 1980-01-01, without
/// extra fields, comments, gaps and encryption. Equal contents give equal bytes.
enum ZipFormat {
    static let localHeaderBytes = 30
    static let centralHeaderBytes = 46
    static let endBytes = 22
    /// Above it, ZIP needs an extension.
    static let entriesMax = 65_534
    static let bytesMax = Int(UInt32.max) - 1
    static let nameBytesMax = 200
    /// The maximum size of one entry. Receipts have at most 8 MiB.
    static let entryBytesMax = 64 << 20

    /// An entry: its name, the size of its contents, and their checksum.
    struct Entry: Equatable {
        let name: String
        let size: Int
        let crc: UInt32
    }

    /// Whether a text is a relative path of ASCII letters, digits, dots, hyphens and underscores, without empty, `.` and
    /// `..` components.
    static func isName(_ name: String) -> Bool {
        guard (1...nameBytesMax).contains(name.utf8.count) else { return false }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".."
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
    }

    static func crc(of bytes: [UInt8]) -> UInt32 { Checksum.crc32(of: bytes.span.bytes) }

    static func localHeader(of entry: Entry) -> [UInt8] {
        littleEndian32(0x0403_4B50) + commonFields(of: entry) + Array(entry.name.utf8)
    }

    static func centralHeader(of entry: Entry, at offset: Int) -> [UInt8] {
        // Made by version 1.0 for MS-DOS; no comment, disk 0, no attributes.
        littleEndian32(0x0201_4B50) + [10, 0] + commonFields(of: entry) + [UInt8](repeating: 0, count: 10)
            + littleEndian32(offset) + Array(entry.name.utf8)
    }

    static func end(entries: Int, directory: Range<Int>) -> [UInt8] {
        littleEndian32(0x0605_4B50) + [0, 0, 0, 0] + littleEndian16(entries) + littleEndian16(entries)
            + littleEndian32(directory.count) + littleEndian32(directory.lowerBound) + [0, 0]
    }

    /// The fields that both headers have: version 1.0, no flags, stored, 1980-01-01, checksum, sizes, length of the name.
    private static func commonFields(of entry: Entry) -> [UInt8] {
        [10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0] + littleEndian32(Int(entry.crc)) + littleEndian32(entry.size)
            + littleEndian32(entry.size) + littleEndian16(entry.name.utf8.count) + [0, 0]
    }

    private static func littleEndian16(_ number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] }

    private static func littleEndian32(_ number: Int) -> [UInt8] {
        littleEndian16(number & 0xFFFF) + littleEndian16(number >> 16)
    }
}

import LedgerModel
import Primitives

/// Searches bytes for appAccountTokens: as text, and as text within JWS and other base64, nested to a depth.
struct TokenSearch {
    private let texts: [[UInt8]]

    private static let depth = 4
    /// The shortest base64 text that can contain a token.
    private static let shortestRun = 48

    init(_ tokens: Set<AppAccountToken>) {
        texts = tokens.map { Array($0.text.utf8) }
    }

    func isStated(in bytes: [UInt8]) -> Bool { !texts.isEmpty && isStated(in: bytes, depth: Self.depth) }

    private func isStated(in bytes: [UInt8], depth: Int) -> Bool {
        let lowercased = bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        if texts.contains(where: { lowercased.contains($0) }) { return true }
        guard depth > 0 else { return false }
        return bytes.split { !Self.isBase64($0) }.contains { run in
            guard run.count >= Self.shortestRun, let decoded = Self.decoded(run) else { return false }
            return isStated(in: decoded, depth: depth - 1)
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Decodes either alphabet of RFC 4648, without padding. A text that does not end with a byte is cut.
    private static func decoded(_ run: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(run.count * 3 / 4)
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in run {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case 65...90: UInt32(byte) - 65
        case 97...122: UInt32(byte) - 71
        case 48...57: UInt32(byte) + 4
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

import CISAL

/// CRC-32 as gzip has it (RFC 1952 §8): finds every flipped bit and every burst of up to 32.
enum Checksum {
    static let byteCount = 4

    static func crc32(of bytes: RawSpan) -> UInt32 {
        bytes.withUnsafeBytes { buffer in
            // ISA-L reads `count` bytes from the address and keeps neither.
            crc32_gzip_refl(0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(buffer.count))
        }
    }
}

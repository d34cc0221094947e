import CZlib

/// CRC-32 as computed by zlib (ISO 3309). It detects every flipped bit and every burst of up to 32 bits.
enum Checksum {
    static let byteCount = 4

    static func crc32(of bytes: RawSpan) -> UInt32 {
        bytes.withUnsafeBytes { buffer in
            // zlib reads `count` bytes from the address and does not retain it.
            UInt32(
                truncatingIfNeeded: crc32_z(0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count))
        }
    }
}

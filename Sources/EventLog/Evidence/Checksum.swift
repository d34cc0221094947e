import CZlib

/// CRC-32 as zlib has it (ISO 3309): finds every flipped bit and every burst of up to 32.
enum Checksum {
    static let byteCount = 4

    static func crc32(of bytes: RawSpan) -> UInt32 {
        bytes.withUnsafeBytes { buffer in
            // zlib reads `count` bytes from the address and keeps neither.
            UInt32(
                truncatingIfNeeded: crc32_z(0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count))
        }
    }
}

package import Crypto

/// A SHA-256 value, stored as four big-endian words: fixed size, no heap allocation, ordered like its bytes.
public struct Digest: Hashable, Comparable, BitwiseCopyable, Sendable {
    public let words: (UInt64, UInt64, UInt64, UInt64)

    @inlinable
    public init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    /// The all-zero value, which represents "none" in a record.
    package static let zero = Digest(words: (0, 0, 0, 0))
    package static let byteCount = 32

    @inlinable
    public static func == (left: Digest, right: Digest) -> Bool {
        left.words == right.words
    }

    @inlinable
    public static func < (left: Digest, right: Digest) -> Bool {
        left.words < right.words
    }

    @inlinable
    public static func >= (left: Digest, right: Digest) -> Bool {
        left.words >= right.words
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}

extension Digest {
    /// Returns the SHA-256 of contiguous bytes.
    package static func sha256(of bytes: UnsafeRawBufferPointer) -> Digest {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return Digest(hash.finalize())
    }

    package static func sha256(of bytes: some Sequence<UInt8>) -> Digest {
        bytes.withContiguousStorageIfAvailable { sha256(of: UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { sha256(of: $0) }
    }

    package init(_ digest: SHA256.Digest) {
        self = digest.withUnsafeBytes { Digest(loadingFrom: $0) }
    }
}

extension Digest {
    /// Reads the 32 bytes at the start of `bytes`; fewer are a programmer error.
    package init(loadingFrom bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= Self.byteCount, "a digest is 32 bytes")
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// Creates a digest from exactly 32 bytes; nil for any other number.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withUnsafeBytes { Digest(loadingFrom: $0) }
    }

    /// Creates a digest from 64 hexadecimal digits; nil for any other text.
    package init?(hex: String) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    package var bytes: [UInt8] {
        withBytes { Array($0) }
    }

    package var hex: String {
        Hex.encode(bytes)
    }

    /// The first 16 bytes, as a number of the same order.
    package var firstHalf: UInt128 { UInt128(words.0) << 64 | UInt128(words.1) }

    /// Calls `body` with the 32 bytes in order.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let ordered = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
        // A tuple of four words has no gaps, so its bytes are the digest's.
        return withUnsafeBytes(of: ordered, body)
    }
}

extension Digest: CustomStringConvertible {
    public var description: String { hex }
}

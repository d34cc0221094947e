import CZlib

/// Raw deflate (RFC 1951) with a preset dictionary. An instance reuses its streams, so it is not thread-safe.
package final class Deflate {
    /// Level 3 takes two thirds of the time of level 6 for the 1.3 KB of a notification, and 5% more space.
    private static let level: Int32 = 3

    /// A stream that has read the dictionary, copied for each use. Reading it takes half as long as all other work.
    private let primed = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let inflater = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// Creates the streams. The pointers are allocated and initialised here, freed in `deinit`, and not used elsewhere.
    /// - Parameter dictionary: the preset dictionary for deflating.
    package init(dictionary: [UInt8]) {
        primed.initialize(to: z_stream())
        inflater.initialize(to: z_stream())
        // These calls fail only when memory runs out or the zlib version differs from the one compiled against.
        guard subledger_deflateInitRaw(primed, Self.level) == Z_OK, subledger_inflateInitRaw(inflater) == Z_OK,
            dictionary.isEmpty || deflateSetDictionary(primed, dictionary, UInt32(dictionary.count)) == Z_OK
        else { preconditionFailure("zlib initialization failed") }
    }

    deinit {
        deflateEnd(primed)
        inflateEnd(inflater)
        primed.deallocate()
        inflater.deallocate()
    }

    /// - Returns: nil when memory runs out.
    package func deflated(_ plain: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // The copy has its own memory, which `deflateEnd` frees. Only zlib keeps a pointer to `stream` in between. It
        // checks that the address does not change, which is true while the closure runs.
        return withUnsafeMutablePointer(to: &stream) { stream in
            guard deflateCopy(stream, primed) == Z_OK else { return nil }
            defer { deflateEnd(stream) }
            let bound = Int(deflateBound(stream, UInt(plain.count)))
            return Self.run(stream, plain, capacity: bound) { deflate($0, Z_FINISH) }
        }
    }

    /// - Parameter byteCount: the exact size of the result; bounds the memory used.
    /// - Returns: nil when the bytes are not the deflated form of exactly `byteCount` bytes.
    package func inflated(_ packed: [UInt8], byteCount: Int, dictionary: [UInt8]) -> [UInt8]? {
        inflateReset(inflater)
        inflateSetDictionary(inflater, dictionary, UInt32(dictionary.count))
        let plain = Self.run(inflater, packed, capacity: byteCount) { inflate($0, Z_FINISH) }
        return plain?.count == byteCount && inflater.pointee.avail_in == 0 ? plain : nil
    }

    private static func run(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: [UInt8], capacity: Int,
        _ step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> [UInt8]? {
        var finished = false
        // zlib never writes through next_in, and stays within avail_in and avail_out.
        let output = [UInt8](unsafeUninitializedCapacity: capacity + 1) { buffer, count in
            input.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(capacity + 1)
                finished = step(stream) == Z_STREAM_END
            }
            count = Int(stream.pointee.total_out)
        }
        return finished ? output : nil
    }
}

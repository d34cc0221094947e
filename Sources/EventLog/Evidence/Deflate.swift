import CZlib

/// Raw deflate (RFC 1951) with a preset dictionary. One value is one thread's: its streams are reused.
package final class Deflate {
    /// Level 6 takes 9 µs for the 1.3 KB of a notification, hardly more than level 1, for a fifth less space.
    private static let level: Int32 = 6

    private let deflater = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let inflater = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// The pointers are allocated and initialised here, freed in `deinit`, and used by nobody else.
    package init() {
        deflater.initialize(to: z_stream())
        inflater.initialize(to: z_stream())
        // Both fail only without memory or with another library version than compiled against.
        guard subledger_deflateInitRaw(deflater, Self.level) == Z_OK, subledger_inflateInitRaw(inflater) == Z_OK else {
            preconditionFailure("zlib cannot start")
        }
    }

    deinit {
        deflateEnd(deflater)
        inflateEnd(inflater)
        deflater.deallocate()
        inflater.deallocate()
    }

    package func deflated(_ plain: [UInt8], dictionary: [UInt8]) -> [UInt8]? {
        deflateReset(deflater)
        deflateSetDictionary(deflater, dictionary, UInt32(dictionary.count))
        let bound = Int(deflateBound(deflater, UInt(plain.count)))
        return Self.run(deflater, plain, capacity: bound) { deflate($0, Z_FINISH) }
    }

    /// - Parameter byteCount: what the result must have exactly; no more memory is used.
    /// - Returns: nil when the bytes are not the deflated form of so many bytes.
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

import CZlib

/// Raw deflate (RFC 1951) with a preset dictionary. One value is one thread's: its streams are reused.
package final class Deflate {
    /// Level 3 takes two thirds of the time of level 6 for the 1.3 KB of a notification, and a twentieth more space.
    private static let level: Int32 = 3

    /// Has read the dictionary, and is copied for each use: reading it takes half as long as all the rest.
    private let primed = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let inflater = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// The pointers are allocated and initialised here, freed in `deinit`, and used by nobody else.
    /// - Parameter dictionary: to deflate with.
    package init(dictionary: [UInt8]) {
        primed.initialize(to: z_stream())
        inflater.initialize(to: z_stream())
        // They fail only without memory or with another library version than compiled against.
        guard subledger_deflateInitRaw(primed, Self.level) == Z_OK, subledger_inflateInitRaw(inflater) == Z_OK,
            dictionary.isEmpty || deflateSetDictionary(primed, dictionary, UInt32(dictionary.count)) == Z_OK
        else { preconditionFailure("zlib cannot start") }
    }

    deinit {
        deflateEnd(primed)
        inflateEnd(inflater)
        primed.deallocate()
        inflater.deallocate()
    }

    /// - Returns: nil without memory.
    package func deflated(_ plain: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // The copy has memory of its own, which deflateEnd frees; nothing keeps a pointer to `stream` in between but
        // zlib, which checks that it is at one address: that of this variable, for as long as the closure runs.
        return withUnsafeMutablePointer(to: &stream) { stream in
            guard deflateCopy(stream, primed) == Z_OK else { return nil }
            defer { deflateEnd(stream) }
            let bound = Int(deflateBound(stream, UInt(plain.count)))
            return Self.run(stream, plain, capacity: bound) { deflate($0, Z_FINISH) }
        }
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

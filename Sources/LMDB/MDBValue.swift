import CLMDB

/// Lends `bytes` to liblmdb for the duration of `body`. liblmdb never writes through the keys and values it receives.
@inline(__always)
func withMDBValue(of bytes: RawSpan, _ body: (UnsafeMutablePointer<MDB_val>) -> Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { buffer in
        var value = unsafe MDB_val(
            mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        return unsafe body(&value)
    }
}

/// Lends an integer key in native byte order.
@inline(__always)
func withMDBValue(of integer: UInt64, _ body: (UnsafeMutablePointer<MDB_val>) -> Int32) -> Int32 {
    var integer = integer
    return unsafe withUnsafeMutableBytes(of: &integer) { buffer in
        var value = unsafe MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
        return unsafe body(&value)
    }
}

extension RawSpan {
    /// Creates a span of bytes that liblmdb returned. The caller ties it to the transaction that owns the bytes.
    @_lifetime(immortal)
    init(_ value: MDB_val) {
        let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(value.mv_data), byteCount: value.mv_size)
        self = unsafe _overrideLifetime(bytes, copying: ())
    }
}

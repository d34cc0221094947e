import Glibc

/// The bytes of a file, mapped for reading.
///
/// A data file may be mapped while its environment is open, in this process or another: LMDB locks only lock.mdb, and
/// the data file never shrinks.
@safe
package struct MappedFile: ~Copyable {
    private let base: UnsafeMutableRawPointer?
    private let byteCount: Int

    /// - Throws: the `errno` of opening or mapping the file.
    package init(_ path: String) throws(LMDBError) {
        unsafe (base, byteCount) = unsafe try Self.map(path)
    }

    private static func map(_ path: String) throws(LMDBError) -> (UnsafeMutableRawPointer?, Int) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open \(path)") }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system("fstat \(path)") }
        let byteCount = Int(status.st_size)
        // mmap rejects an empty mapping (mmap(2), EINVAL).
        guard byteCount > 0 else { return (nil, 0) }
        let base = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
        // MAP_FAILED is (void *)-1, a cast that Swift does not import.
        guard unsafe base != UnsafeMutableRawPointer(bitPattern: -1) else { throw .system("mmap \(path)") }
        return unsafe (base, byteCount)
    }

    deinit {
        if let base = unsafe base { unsafe munmap(base, byteCount) }
    }

    package var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            guard let base = unsafe base else { return RawSpan() }
            // The mapping has `byteCount` bytes and exists until `self` is destroyed.
            let bytes = unsafe RawSpan(_unsafeStart: base, byteCount: byteCount)
            return unsafe _overrideLifetime(bytes, borrowing: self)
        }
    }
}

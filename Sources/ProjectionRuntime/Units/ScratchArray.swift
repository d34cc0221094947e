import Glibc
import LedgerStorage
import Synchronization

/// Memory for the index of a rebuild: anonymous memory up to a limit, files beyond it.
///
/// The kernel writes the pages of a file to the disk when memory is short, so an index of any size works.
final class ScratchSpace: Sendable {
    /// Bytes of anonymous memory.
    let limit: Int
    private let folder: String
    private let used = Atomic(0)
    private let fileCount = Atomic(0)

    /// - Parameter folder: an existing folder. Files are unlinked after their creation, so none remains.
    init(limit: Int, folder: String) {
        self.limit = limit
        self.folder = folder
    }

    /// Returns an array of zeros.
    /// - Throws: `disk_full`, `io_error`.
    func array<Element: BitwiseCopyable>(
        of type: Element.Type = Element.self, count: Int
    ) throws(StorageError) -> ScratchArray<Element> {
        let bytes = max(count, 1) * MemoryLayout<Element>.stride
        let isAnonymous = used.add(bytes, ordering: .relaxed).newValue <= limit
        if !isAnonymous { used.subtract(bytes, ordering: .relaxed) }
        let address = isAnonymous ? mapped(bytes, MAP_PRIVATE | MAP_ANONYMOUS, file: -1) : try mappedFile(bytes)
        guard let address else { throw StorageError(system: "\(bytes) bytes of memory cannot be mapped") }
        return ScratchArray(address, byteCount: bytes, count: count, from: isAnonymous ? self : nil)
    }

    fileprivate func release(_ bytes: Int) {
        used.subtract(bytes, ordering: .relaxed)
    }

    private func mappedFile(_ bytes: Int) throws(StorageError) -> UnsafeMutableRawPointer? {
        let path = "\(folder)/scratch-\(fileCount.add(1, ordering: .relaxed).newValue)"
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StorageError(system: "\(path) cannot be created") }
        defer { close(file) }
        unlink(path)
        // Writing to a page for which the disk has no room would end the process, so its blocks are allocated first.
        let result = posix_fallocate(file, 0, bytes)
        guard result == 0 else {
            errno = result
            throw StorageError(system: "\(path) of \(bytes) bytes cannot be created")
        }
        return mapped(bytes, MAP_SHARED, file: file)
    }

    private func mapped(_ bytes: Int, _ flags: Int32, file: Int32) -> UnsafeMutableRawPointer? {
        let address = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, file, 0)
        guard address != MAP_FAILED else { return nil }
        // The index is read at random, so small pages cost a miss of the translation buffer each. The advice changes no
        // content, and a system may refuse it.
        madvise(address, bytes, MADV_HUGEPAGE)
        return address
    }
}

/// A fixed number of elements in scratch memory.
///
/// One thread at a time writes an array. Threads that only read it are started after the last write.
final class ScratchArray<Element: BitwiseCopyable>: @unchecked Sendable {
    let count: Int
    private let elements: UnsafeMutablePointer<Element>
    private let byteCount: Int
    private let space: ScratchSpace?

    /// - Parameter address: a mapping of `byteCount` zeros, which has room for `count` elements. Zero must be a valid
    ///   element.
    fileprivate init(_ address: UnsafeMutableRawPointer, byteCount: Int, count: Int, from space: ScratchSpace?) {
        elements = address.bindMemory(to: Element.self, capacity: max(count, 1))
        self.byteCount = byteCount
        self.count = count
        self.space = space
    }

    deinit {
        munmap(elements, byteCount)
        space?.release(byteCount)
    }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count)
            return elements[index]
        }
        set {
            precondition(index >= 0 && index < count)
            elements[index] = newValue
        }
    }

    /// Copies the first elements of another array.
    func copy(_ count: Int, from other: ScratchArray) {
        precondition(count <= self.count && count <= other.count)
        elements.update(from: other.elements, count: count)
    }
}

/// A growing list of elements in scratch memory.
struct ScratchList<Element: BitwiseCopyable>: Sendable {
    private let space: ScratchSpace
    private var elements: ScratchArray<Element>
    private(set) var count = 0

    init(in space: ScratchSpace) throws(StorageError) {
        self.space = space
        elements = try space.array(count: 4_096)
    }

    mutating func append(_ element: Element) throws(StorageError) {
        if count == elements.count {
            let larger = try space.array(of: Element.self, count: 2 * count)
            larger.copy(count, from: elements)
            elements = larger
        }
        elements[count] = element
        count += 1
    }

    subscript(index: Int) -> Element {
        get { elements[index] }
        nonmutating set { elements[index] = newValue }
    }
}

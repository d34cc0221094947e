import EventLog
import LedgerStorage
import LedgerTesting

/// The disk behind a trace: the bytes of the log's data file that certainly survive a power loss, and those that may.
struct Disk {
    static let pageBytes = 4_096

    private let trace: DiskTrace
    private let dataFile: String
    private(set) var acknowledged = Acknowledgements()
    private var durable: [UInt8] = []
    private var pending: [Write] = []
    /// Directory entries that no sync of their folder has made durable yet, including that of the data file.
    private var pendingEntries: Set<String> = []
    private var hasDataFile = false

    private struct Write {
        var offset: Int
        var bytes: Range<Int>
        /// Whether the disk has refused the write. It may be stored, but no sync makes it durable.
        var isRefused = false

        func covers(_ other: Write) -> Bool {
            offset <= other.offset && offset + bytes.count >= other.offset + other.bytes.count
        }
    }

    init(_ trace: DiskTrace, folder: DataFolder) {
        self.trace = trace
        dataFile = folder.log + "/data.mdb"
    }

    mutating func advance(_ operation: DiskTrace.Operation) throws {
        switch operation {
        case .written(let offset, let bytes, let isRefused):
            pending.append(Write(offset: offset, bytes: bytes, isRefused: isRefused))
        case .durable:
            // The same bytes were recorded as written just before.
            makeDurable(pending.removeLast())
        case .synced:
            let writes = pending
            pending = writes.filter(\.isRefused)
            for write in writes where !write.isRefused { makeDurable(write) }
        case .acknowledged(let line): try acknowledged.add(line)
        case .entry(let path):
            pendingEntries.insert(path)
            if path == dataFile { hasDataFile = true }
        case .entriesSynced(let folder):
            pendingEntries = pendingEntries.filter { $0 != folder + "/" + ($0.split(separator: "/").last ?? "") }
        case .failed: break
        }
    }

    private mutating func makeDurable(_ write: Write) {
        Self.write(trace.bytes[write.bytes], at: write.offset, into: &durable)
        pending.removeAll { write.covers($0) }
    }

    /// The data file after a power loss, if there is one.
    struct Remains {
        var bytes: [UInt8]
        /// The number of pages written since the last sync, and of those that are missing or not as last written.
        var pages = 0
        var losses = 0
    }

    /// Returns everything up to the last sync, and any of the states of each page written since; nil if there is no
    /// file.
    func remains(_ random: inout SeededRandom) -> Remains? {
        let mayBeMissing = pendingEntries.contains { dataFile == $0 || dataFile.hasPrefix($0 + "/") }
        guard hasDataFile, !(mayBeMissing && random.chance(50)) else { return nil }
        var remains = Remains(bytes: durable)
        // All, none, or some: a disk may delay every write.
        let percent = [0, 100, 50, 90, 10].randomElement(using: &random) ?? 0
        for (_, writes) in pendingPages.sorted(by: { $0.key < $1.key }) {
            let kept = random.chance(percent) ? Int.random(in: 1...writes.count, using: &random) : 0
            for write in writes.prefix(kept) {
                Self.write(trace.bytes[write.bytes], at: write.offset, into: &remains.bytes)
            }
            remains.pages += 1
            remains.losses += kept < writes.count ? 1 : 0
        }
        return remains
    }

    /// The writes since the last sync, split at page boundaries.
    private var pendingPages: [Int: [Write]] {
        var pages: [Int: [Write]] = [:]
        for var write in pending {
            while !write.bytes.isEmpty {
                let count = min(write.bytes.count, Self.pageBytes - write.offset % Self.pageBytes)
                var part = write
                part.bytes = write.bytes.prefix(count)
                pages[write.offset / Self.pageBytes, default: []].append(part)
                write.offset += count
                write.bytes.removeFirst(count)
            }
        }
        return pages
    }

    private static func write(_ bytes: ArraySlice<UInt8>, at offset: Int, into file: inout [UInt8]) {
        let end = offset + bytes.count
        if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
        file.replaceSubrange(offset..<end, with: bytes)
    }
}

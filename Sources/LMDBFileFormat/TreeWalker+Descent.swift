import Glibc
import Primitives

extension TreeWalker {
    /// Walks a tree from its record, which is stored on page `referrer`, and compares the two. `visit` receives each
    /// entry and the number of its page. Entries of the free list are processed instead.
    mutating func follow(
        _ record: TreeRecord, _ fresh: TreeProgress, from referrer: UInt64,
        visit: (DataFileEntry, UInt64) -> Void
    ) {
        var progress = fresh
        if !record.isEmpty, meet(record.root, from: referrer) {
            descend(record.root, levels: record.depth, &progress, visit)
        }
        if let difference = progress.difference(from: record) { report(referrer, difference) }
    }

    /// `levels` includes this one; it is at most `deepestTree`, which bounds the recursion.
    private mutating func descend(
        _ number: UInt64, levels: Int, _ progress: inout TreeProgress, _ visit: (DataFileEntry, UInt64) -> Void
    ) {
        let page = TreePage(bytes(of: number))
        let isLeaf = levels == 1
        if let fault = page.fault(number: number, isLeaf: isLeaf, kind: progress.kind, starts: &starts) {
            report(number, "\(progress.name): \(fault)")
            return
        }
        map?.set(number, isLeaf ? .leaf : .branch, progress.owner)
        if isLeaf {
            progress.leafPages += 1
            for index in 0..<page.count { leafEntry(page.node(index), on: number, &progress, visit) }
        } else {
            progress.branchPages += 1
            for index in 0..<page.count {
                let node = page.node(index)
                if index > 0 { separator(node.key, on: number, &progress) }
                if meet(node.child, from: number) { descend(node.child, levels: levels - 1, &progress, visit) }
            }
        }
    }

    private mutating func leafEntry(
        _ node: TreePage.Node, on page: UInt64, _ progress: inout TreeProgress,
        _ visit: (DataFileEntry, UInt64) -> Void
    ) {
        let start = start(of: page)
        let key = start + node.key.lowerBound..<start + node.key.upperBound
        leafKey(key, on: page, &progress)
        progress.entries += 1
        var valueStart = start + node.data.lowerBound
        var overflow: Range<UInt64>?
        if node.isOverflow {
            guard let pages = overflowPages(of: node, on: page, &progress) else { return }
            overflow = pages
            valueStart = self.start(of: pages.lowerBound) + DataFileLayout.Page.headerBytes
        }
        let value = file.extracting(valueStart..<valueStart + node.valueSize)
        var usedBytes = node.valueSize
        if progress.kind == .freeList {
            usedBytes = freePages(value, transaction: file.integer(at: key.lowerBound), on: page)
        } else {
            visit(DataFileEntry(key: file.extracting(key), value: value), page)
        }
        if let overflow { map?.setOverflow(overflow, valueBytes: usedBytes, progress.owner) }
    }

    /// Returns the overflow pages of a value. Reports a fault and returns nil unless they are in the file, used once,
    /// and sufficient.
    mutating func overflowPages(
        of node: TreePage.Node, on page: UInt64, _ progress: inout TreeProgress
    ) -> Range<UInt64>? {
        let first: UInt64 = bytes(of: page).integer(at: node.data.lowerBound)
        guard meet(first, from: page) else { return nil }
        let header = bytes(of: first)
        let number: UInt64 = header.integer(at: DataFileLayout.Page.number)
        let flags: UInt16 = header.integer(at: DataFileLayout.Page.flags)
        let count: UInt32 = header.integer(at: DataFileLayout.Page.overflowPages)
        // A value that shrinks within the transaction that wrote it keeps all its pages.
        let fewest = DataFileLayout.overflowPages(forValueOf: node.valueSize, pageSize: metaPages.pageSize)
        guard number == first, flags == DataFileLayout.Page.overflow, count >= fewest else {
            let expected = "\(first), \(DataFileLayout.Page.overflow) and at least \(fewest)"
            report(
                first,
                "\(progress.name): overflow page \(number), flags \(flags), \(count) pages, expected \(expected)")
            return nil
        }
        // Each round marks a new page, so a wrong count ends at the last page at the latest.
        for further in 1..<UInt64(count) where !meet(first + further, from: page) { return nil }
        progress.overflowPages += UInt64(count)
        return first..<first + UInt64(count)
    }

    /// Marks the pages that `transaction` freed.
    /// - Returns: the length of the record without its unused space.
    private mutating func freePages(_ value: RawSpan, transaction: UInt64, on page: UInt64) -> Int {
        guard (1...max(1, metaPages.transactionID)).contains(transaction) else {
            report(page, "free list: transaction \(transaction), expected 1 to \(metaPages.transactionID)")
            return 0
        }
        guard let record = FreeListRecord(value) else {
            report(page, "free list: a record of \(value.byteCount) bytes, an invalid size")
            return 0
        }
        var previous = UInt64.max
        for index in 0..<record.count {
            let free = record.page(index)
            guard free < previous else {
                report(page, "free list: page \(free) after page \(previous)")
                return 0
            }
            previous = free
            if meet(free, from: page, mustBeInFile: false) { map?.set(free, .free, .freeList) }
        }
        return record.byteCount
    }

    // MARK: The order of keys

    private mutating func separator(_ key: Range<Int>, on page: UInt64, _ progress: inout TreeProgress) {
        let start = start(of: page)
        let key = start + key.lowerBound..<start + key.upperBound
        // A separator is above all keys on its left, and not above any key on its right.
        var previous: UInt64?
        switch progress.bound {
        case .none: break
        case .above(let left):
            if compare(key, left, progress.kind) <= 0 {
                report(page, "\(progress.name): a separator not above the keys it separates")
            }
            if progress.kind.hasIntegerKeys { previous = file.integer(at: left.lowerBound) }
        case .atLeast(let left):
            if compare(key, left, progress.kind) <= 0 { report(page, "\(progress.name): separators out of order") }
        }
        if let skipped = progress.separator { map?.setSeparatorsMayVary(on: skipped.page) }
        progress.separator = TreeProgress.Separator(page: page, previous: previous)
        progress.bound = .atLeast(key)
    }

    private mutating func leafKey(_ key: Range<Int>, on page: UInt64, _ progress: inout TreeProgress) {
        switch progress.bound {
        case .none: break
        case .above(let left):
            if compare(key, left, progress.kind) <= 0 { report(page, "\(progress.name): keys out of order") }
        case .atLeast(let left):
            if compare(key, left, progress.kind) < 0 { report(page, "\(progress.name): a key below its separator") }
        }
        if let separator = progress.separator {
            // Between two consecutive integers, the separator could have no other value.
            let isForced = separator.previous.map { $0 &+ 1 == file.integer(at: key.lowerBound) } ?? false
            if !isForced { map?.setSeparatorsMayVary(on: separator.page) }
            progress.separator = nil
        }
        progress.bound = .above(key)
    }

    /// Compares two keys, given by their ranges in the file. The sign of the result is that of memcmp.
    private func compare(_ left: Range<Int>, _ right: Range<Int>, _ kind: TreeKind) -> Int {
        if kind.hasIntegerKeys {
            let left: UInt64 = file.integer(at: left.lowerBound)
            let right: UInt64 = file.integer(at: right.lowerBound)
            return left < right ? -1 : left == right ? 0 : 1
        }
        let common = min(left.count, right.count)
        let difference = unsafe file.withUnsafeBytes { bytes in
            // Both ranges are within pages of the file.
            guard let base = bytes.baseAddress else { return Int32(0) }
            return unsafe memcmp(base + left.lowerBound, base + right.lowerBound, common)
        }
        return difference == 0 ? left.count - right.count : Int(difference)
    }
}

extension PageMap {
    /// Returns the class of the byte at `offset` of the walked file.
    package func classify(_ offset: Int, in file: RawSpan) -> ByteClass {
        let number = offset / pageSize
        let within = offset % pageSize
        guard number <= lastPage, number < pages.count else { return .dead(.tail) }
        let bytes = file.extracting(number * pageSize..<(number + 1) * pageSize)
        if number < DataFileLayout.metaPages {
            return number == newerMeta ? newerMeta(within) : olderMeta(within, page: number)
        }
        let page = pages[number]
        switch page.use {
        case .unaccounted: return .dead(.unaccounted)
        case .free: return .dead(.freePage)
        case .branch: return branch(within, page, TreePage(bytes))
        case .leaf: return leaf(within, page, TreePage(bytes))
        case .firstOverflow where within < DataFileLayout.Page.headerBytes:
            return header(within, page)
        case .firstOverflow, .furtherOverflow:
            guard within < page.valueEnd else { return .dead(.slack) }
            return kind(of: page) == .freeList
                ? .live(.freePageNumber, database: nil) : .live(.value, database: name(of: page))
        }
    }

    // MARK: Meta pages

    private func newerMeta(_ offset: Int) -> ByteClass {
        switch offset {
        case DataFileLayout.Page.number..<DataFileLayout.Page.unused,
            DataFileLayout.Page.flags..<DataFileLayout.Page.lower,
            DataFileLayout.Meta.magic..<DataFileLayout.Meta.address,
            DataFileLayout.Meta.lastPage..<DataFileLayout.Meta.transactionID:
            .live(.meta, database: nil)
        case DataFileLayout.Meta.freeList..<DataFileLayout.Meta.main:
            // The unused field of this record contains the page size.
            .live(
                offset < DataFileLayout.Meta.freeList + DataFileLayout.Tree.flags ? .meta : .treeRecord,
                database: nil)
        case DataFileLayout.Meta.main..<DataFileLayout.Meta.lastPage:
            treeRecord(offset - DataFileLayout.Meta.main)
        case DataFileLayout.Meta.transactionID..<DataFileLayout.Meta.end: .live(.transactionID, database: nil)
        case DataFileLayout.Meta.end...: .dead(.slack)
        // The rest of the header; the address, which only MDB_FIXEDMAP uses; the map size, which every opening sets.
        default: .dead(.unused)
        }
    }

    private func olderMeta(_ offset: Int, page: Int) -> ByteClass {
        let pageSize = DataFileLayout.Meta.freeList + DataFileLayout.Tree.pageSize
        switch offset {
        case DataFileLayout.Page.flags..<DataFileLayout.Page.lower,
            DataFileLayout.Meta.magic..<DataFileLayout.Meta.address,
            pageSize..<pageSize + 4:
            return .live(.meta, database: nil)
        case DataFileLayout.Meta.transactionID..<DataFileLayout.Meta.end:
            // Before the first commit both ids are 0. An id of 1 on the second page would also be valid.
            return isFresh && offset == DataFileLayout.Meta.transactionID
                ? .dead(.mayVary) : .live(.transactionID, database: nil)
        default:
            return .dead(.olderMeta)
        }
    }

    /// Classifies a byte of the main database's record, or of a record in the main database.
    private func treeRecord(_ offset: Int) -> ByteClass {
        offset < DataFileLayout.Tree.flags ? .dead(.unused) : .live(.treeRecord, database: nil)
    }

    // MARK: Tree pages

    private func header(_ offset: Int, _ page: Page) -> ByteClass {
        (DataFileLayout.Page.unused..<DataFileLayout.Page.flags).contains(offset)
            ? .dead(.unused) : .live(.pageHeader, database: name(of: page))
    }

    /// Returns the class of a byte outside the nodes, or the node that contains it. Nodes leave no gaps.
    private func place(_ offset: Int, _ page: Page, _ tree: borrowing TreePage) -> Place {
        if offset < DataFileLayout.Page.headerBytes { return .found(header(offset, page)) }
        if offset < tree.lower { return .found(.live(.nodePointer, database: name(of: page))) }
        if offset < tree.upper { return .found(.dead(.slack)) }
        for index in 0..<tree.count {
            let node = tree.node(index)
            if offset >= node.offset, offset < node.end(onLeaf: page.use == .leaf) {
                return .inNode(node, index: index)
            }
        }
        return .found(.dead(.padding))
    }

    private enum Place {
        case found(ByteClass)
        case inNode(TreePage.Node, index: Int)
    }

    private func branch(_ offset: Int, _ page: Page, _ tree: borrowing TreePage) -> ByteClass {
        switch place(offset, page, tree) {
        case .found(let found): return found
        case .inNode(let node, let index):
            let database = name(of: page)
            switch offset - node.offset {
            case ..<DataFileLayout.Node.keySize: return .live(.pageNumber, database: database)
            case DataFileLayout.Node.keySize where index > 0 && !kind(of: page).hasIntegerKeys:
                // The separator may include its padding byte, or lose its last byte to padding.
                return .dead(.mayVary)
            case ..<DataFileLayout.Node.headerBytes: return .live(.nodeHeader, database: database)
            default: return page.separatorsMayVary ? .dead(.mayVary) : .live(.separator, database: database)
            }
        }
    }

    private func leaf(_ offset: Int, _ page: Page, _ tree: borrowing TreePage) -> ByteClass {
        switch place(offset, page, tree) {
        case .found(let found): return found
        case .inNode(let node, _):
            let database = name(of: page)
            let kind = kind(of: page)
            if offset >= node.data.lowerBound {
                guard !node.isOverflow else { return .live(.pageNumber, database: database) }
                return value(offset - node.data.lowerBound, node, kind, page, tree)
            }
            switch offset - node.offset {
            case ..<DataFileLayout.Node.flags: return valueLength(node, kind, database)
            case ..<DataFileLayout.Node.keySize: return .live(.nodeHeader, database: database)
            case ..<DataFileLayout.Node.headerBytes:
                return .live(kind.hasIntegerKeys ? .nodeHeader : .length, database: database)
            default:
                // The freeing transaction is complete; its id matters only for the order.
                return kind == .freeList ? .dead(.mayVary) : .live(.key, database: database)
            }
        }
    }

    private func valueLength(_ node: TreePage.Node, _ kind: TreeKind, _ database: String?) -> ByteClass {
        switch kind {
        case .main: .live(.nodeHeader, database: database)
        // A free list record contains its own length. Inside a node, however, the next node follows.
        case .freeList: node.isOverflow ? .dead(.mayVary) : .live(.nodeHeader, database: database)
        case .byteKeys, .integerKeys: .live(.length, database: database)
        }
    }

    private func value(
        _ offset: Int, _ node: TreePage.Node, _ kind: TreeKind, _ page: Page, _ tree: borrowing TreePage
    ) -> ByteClass {
        switch kind {
        case .main: return treeRecord(offset)
        case .freeList:
            let record = FreeListRecord(tree.bytes.extracting(node.data))
            return offset < record?.byteCount ?? 0 ? .live(.freePageNumber, database: nil) : .dead(.slack)
        case .byteKeys, .integerKeys: return .live(.value, database: name(of: page))
        }
    }
}

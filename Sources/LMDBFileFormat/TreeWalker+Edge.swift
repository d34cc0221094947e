extension TreeWalker {
    /// The number of leaves that are checked. An appending writer reads no others before it writes; they contain at
    /// least the last few hundred entries.
    private static let edgeLeaves = 64

    /// Checks the last leaves of a tree, the path to them, and the overflow pages of their values.
    mutating func edge(of tree: NamedTree) {
        if let fault = tree.record.fault(lastPage: metaPages.lastPage) {
            return report(tree.page, "\(tree.name): \(fault)")
        }
        guard !tree.record.isEmpty, meet(tree.record.root, from: tree.page) else { return }
        var progress = TreeProgress(kind: tree.kind, name: tree.name, owner: .main)
        descendFromEnd(tree.record.root, levels: tree.record.depth, &progress)
    }

    private mutating func descendFromEnd(_ number: UInt64, levels: Int, _ progress: inout TreeProgress) {
        let page = TreePage(bytes(of: number))
        let isLeaf = levels == 1
        if let fault = page.fault(number: number, isLeaf: isLeaf, kind: progress.kind, starts: &starts) {
            return report(number, "\(progress.name): \(fault)")
        }
        if isLeaf { progress.leafPages += 1 }
        for index in (0..<page.count).reversed() {
            let node = page.node(index)
            if isLeaf {
                if node.isOverflow { _ = overflowPages(of: node, on: number, &progress) }
            } else if progress.leafPages < Self.edgeLeaves, meet(node.child, from: number) {
                descendFromEnd(node.child, levels: levels - 1, &progress)
            }
        }
    }
}

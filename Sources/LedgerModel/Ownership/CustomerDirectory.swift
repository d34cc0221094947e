/// The customers of handles and tokens, after merges: a fold of merges, unmerges and erasures, ordered by position.
package struct CustomerDirectory: Hashable, Sendable {
    /// Ordered by position.
    package private(set) var changes: [DirectoryChange] = []
    private var known: Set<DirectoryChange> = []
    /// The merge in force of each merged handle.
    private var merges: [CustomerHandle: Merge] = [:]
    private var tokens: [AppAccountToken: CustomerHandle] = [:]
    private var erased: Set<CustomerHandle> = []

    package init() {}

    package init(changes: some Sequence<DirectoryChange>, tokens: [AppAccountToken: CustomerHandle] = [:]) {
        for change in changes { add(change) }
        self.tokens = tokens
    }

    /// Returns the directory when the log contained `size` events, with every token.
    package func known(below size: Position) -> CustomerDirectory {
        CustomerDirectory(changes: changes.filter { $0.position < size }, tokens: tokens)
    }

    /// Adds a merge, an unmerge or an erasure. The order of calls does not matter; a repeated change has no effect.
    package mutating func add(_ change: DirectoryChange) {
        guard known.insert(change).inserted else { return }
        let isNewest = changes.last.map { $0.position <= change.position } ?? true
        changes.append(change)
        if isNewest {
            apply(change)
        } else {
            changes.sort { $0.position < $1.position }
            (merges, erased) = ([:], [])
            for change in changes { apply(change) }
        }
    }

    /// Applies a change. A merge of a handle that is already merged, or that would close a cycle, is ignored.
    private mutating func apply(_ change: DirectoryChange) {
        switch change {
        case .merge(let merge):
            guard merges[merge.customer] == nil, customer(of: merge.into) != merge.customer else { return }
            merges[merge.customer] = merge
        case .unmerge(let unmerge):
            guard merges[unmerge.customer]?.into == unmerge.into else { return }
            merges[unmerge.customer] = nil
        case .erasure(let erasure):
            erased.insert(customer(of: erasure.customer))
        }
    }

    package mutating func set(_ customer: CustomerHandle, for token: AppAccountToken) {
        tokens[token] = customer
    }

    /// Returns the customer of a handle, after merges.
    package func customer(of handle: CustomerHandle) -> CustomerHandle {
        merges(from: handle).last?.into ?? handle
    }

    /// Returns the merges that lead from a handle to its customer, in that order.
    package func merges(from handle: CustomerHandle) -> [Merge] {
        var path: [Merge] = []
        while let merge = merges[path.last?.into ?? handle] { path.append(merge) }
        return path
    }

    /// Returns the position of the newest unmerge of a handle.
    package func newestUnmerge(of handle: CustomerHandle) -> Position? {
        changes.compactMap { change -> Position? in
            guard case .unmerge(let unmerge) = change, unmerge.customer == handle else { return nil }
            return unmerge.position
        }.max()
    }

    /// Returns the customer to which a token was mapped; nil for an unmapped token, and for that of an erased customer.
    package func customer(of token: AppAccountToken) -> CustomerHandle? {
        tokens[token].map(customer(of:)).flatMap { isErased($0) ? nil : $0 }
    }

    /// Whether a customer was erased. Nothing belongs to it any more.
    package func isErased(_ handle: CustomerHandle) -> Bool {
        !erased.isEmpty && erased.contains(customer(of: handle))
    }

    /// Returns the handles merged into a customer, directly or through others.
    package func handles(mergedInto customer: CustomerHandle) -> [CustomerHandle] {
        merges.keys.filter { self.customer(of: $0) == customer }
    }

    /// Returns the customer of a claim, its strength, and the position from which it has had that strength.
    ///
    /// A merge raises weaker claims of the merged customer to its own strength.
    package func standing(
        of claim: Claim.Statement
    ) -> (customer: CustomerHandle, authority: Claim.Authority, since: Position) {
        var standing = (customer: claim.customer, authority: claim.by, since: claim.position)
        for merge in merges(from: claim.customer) {
            standing.customer = merge.into
            guard merge.by > standing.authority else { continue }
            standing.authority = merge.by
            standing.since = max(standing.since, merge.position)
        }
        return standing
    }
}

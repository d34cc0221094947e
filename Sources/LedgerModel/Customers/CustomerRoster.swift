/// Who is who: which handles are one customer by now, and whose the tokens are.
package struct CustomerRoster: Hashable, Sendable {
    private var merges: [CustomerHandle: Merge] = [:]
    private var tokens: [AppAccountToken: CustomerHandle] = [:]

    package init() {}

    package init(merges: some Sequence<Merge>, tokens: [AppAccountToken: CustomerHandle] = [:]) {
        for merge in merges { add(merge) }
        self.tokens = tokens
    }

    /// A merge is for good: of two that name one customer the first counts, in whatever order they are added.
    package mutating func add(_ merge: Merge) {
        if let known = merges[merge.customer], known.position <= merge.position { return }
        merges[merge.customer] = merge
    }

    package mutating func set(_ customer: CustomerHandle, for token: AppAccountToken) {
        tokens[token] = customer
    }

    /// The customer that a handle stands for.
    ///
    /// The writer merges only what is not merged yet, so there are no circles; should a log hold one, walking it
    /// ends all the same.
    package func customer(of handle: CustomerHandle) -> CustomerHandle {
        var current = handle
        for _ in 0..<merges.count {
            guard let merge = merges[current] else { break }
            current = merge.into
        }
        return current
    }

    /// Nil while nobody has been met by that name.
    package func customer(of token: AppAccountToken) -> CustomerHandle? {
        tokens[token].map(customer(of:))
    }

    /// Every other handle that stands for a customer.
    package func handles(mergedInto customer: CustomerHandle) -> [CustomerHandle] {
        merges.keys.filter { self.customer(of: $0) == customer }
    }
}

/// Works on many items at the same time. Items that contend for a name are worked on in their order, so that the result
/// does not depend on chance.
struct OrderedWork<Item: Sendable, Output: Sendable> {
    /// The items of one wave. No two have a name in common.
    private var wave: [Item] = []
    private var names: Set<AnyHashable> = []
    private var outputs: [Output] = []
    private let body: @Sendable (Item) async throws -> Output

    /// The items at the same time, so that their events share commits.
    private static var limit: Int { 32 }

    init(_ body: @escaping @Sendable (Item) async throws -> Output) {
        self.body = body
    }

    mutating func add(_ item: Item, contending contended: [AnyHashable]) async throws {
        if wave.count == Self.limit || contended.contains(where: { names.contains($0) }) { try await run() }
        wave.append(item)
        names.formUnion(contended)
    }

    /// Finishes the work.
    /// - Returns: the outputs, in the order of the items.
    mutating func finish() async throws -> [Output] {
        try await run()
        return outputs
    }

    private mutating func run() async throws {
        let items = wave
        (wave, names) = ([], [])
        outputs += try await withThrowingTaskGroup(of: (Int, Output).self) { [body] group in
            for (index, item) in items.enumerated() { group.addTask { (index, try await body(item)) } }
            var done: [(Int, Output)] = []
            for try await output in group { done.append(output) }
            return done.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

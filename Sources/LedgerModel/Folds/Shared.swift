/// A large value that its copies share until one of them changes it.
final class Shared<Value: Hashable & Sendable>: Hashable, @unchecked Sendable {
    // Only `update` writes, and only through the one reference that exists, so no other access overlaps the write.
    @exclusivity(unchecked) private(set) var value: Value

    init(_ value: Value) {
        self.value = value
    }

    static func update(_ shared: inout Shared, _ change: (inout Value) -> Void) {
        if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.value) }
        change(&shared.value)
    }

    static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.value == right.value
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}

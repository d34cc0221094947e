/// Some elements of an array, in a given order. Folds group the observations of a key without copying them.
public struct Selection<Element>: RandomAccessCollection {
    @usableFromInline
    let elements: [Element]
    @usableFromInline
    let selected: ArraySlice<Int>

    /// - Parameter selected: indices of `elements`.
    @inlinable
    init(_ elements: [Element] = [], _ selected: ArraySlice<Int> = []) {
        self.elements = elements
        self.selected = selected
    }

    /// Returns the elements of selections of one array, in the order of the array.
    func joined(with others: [Selection]) -> Selection {
        Selection(elements, ([selected] + others.map(\.selected)).joined().sorted()[...])
    }

    @inlinable
    public var startIndex: Int { selected.startIndex }
    @inlinable
    public var endIndex: Int { selected.endIndex }

    @inlinable
    public subscript(index: Int) -> Element { elements[selected[index]] }
}

extension Selection: Equatable where Element: Equatable {
    public static func == (left: Selection, right: Selection) -> Bool { left.elementsEqual(right) }
}

extension Selection: Hashable where Element: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}

extension Selection: Sendable where Element: Sendable {}

extension Array {
    /// Returns the elements in groups with equal keys. Groups and their elements have the order of the array.
    /// - Complexity: O(n) on average.
    func grouped<Key: Hashable>(by key: (Element) -> Key) -> [Selection<Element>] {
        let (numbers, count) = groupNumbers(key)
        // Nearly always, every element is alone in its group.
        if count == self.count {
            let order = Array<Int>(indices)
            return indices.map { Selection(self, order[$0...$0]) }
        }
        return indices.grouped(by: numbers, count: count).map { Selection(self, $0) }
    }

    /// Returns the number of each element's group, in the order of first appearance, and the number of groups.
    private func groupNumbers<Key: Hashable>(_ key: (Element) -> Key) -> (numbers: [Int?], count: Int) {
        var numbers: [Int?] = []
        numbers.reserveCapacity(count)
        // For few elements, comparing is faster than hashing.
        guard count > 16 else {
            var keys: [Key] = []
            keys.reserveCapacity(count)
            for element in self {
                let key = key(element)
                let number = keys.firstIndex(of: key) ?? keys.count
                if number == keys.count { keys.append(key) }
                numbers.append(number)
            }
            return (numbers, keys.count)
        }
        var known: [Key: Int] = [:]
        for element in self {
            let (key, next) = (key(element), known.count)
            let number = known[key] ?? next
            if number == next { known[key] = next }
            numbers.append(number)
        }
        return (numbers, known.count)
    }
}

extension Range<Int> {
    /// Returns the indices of each group, ascending, by a counting sort.
    /// - Parameter numbers: the group of each index, counted from 0; nil for none.
    func grouped(by numbers: [Int?], count: Int) -> [ArraySlice<Int>] {
        var starts = [Int](repeating: 0, count: count + 1)
        for case let number? in numbers { starts[number + 1] += 1 }
        for group in 0..<count { starts[group + 1] += starts[group] }
        var (order, next) = ([Int](repeating: 0, count: starts[count]), starts)
        for (index, number) in zip(self, numbers) {
            guard let number else { continue }
            order[next[number]] = index
            next[number] += 1
        }
        return (0..<count).map { order[starts[$0]..<starts[$0 + 1]] }
    }
}

/// The elements of an array in groups. The elements of a group follow one another.
struct Groups<Element>: RandomAccessCollection {
    private let elements: [Element]
    /// The index of each group's first element, then the number of elements. Empty when every element is a group.
    private let starts: [Int]

    /// Groups elements with equal keys. Groups and their elements have the order of the array.
    /// - Complexity: O(n) on average.
    init<Key: Hashable>(_ elements: [Element], by key: (Element) -> Key) {
        // Nearly always, every element is alone in its group.
        if elements.isDistinct(by: key) {
            self.init(elements, starts: [])
            return
        }
        var known: [Key: Int] = [:]
        let numbers = elements.map { element -> Int? in
            let (key, next) = (key(element), known.count)
            if let number = known[key] { return number }
            known[key] = next
            return next
        }
        self.init(elements, numbers: numbers, count: known.count)
    }

    /// Groups elements, in the order of the array, by numbers counted from 0.
    /// - Parameter numbers: the group of each element; nil for none.
    /// - Complexity: O(n), without a copy of the elements when the numbers ascend.
    init(_ elements: [Element], numbers: [Int?], count: Int) {
        var starts = [Int](repeating: 0, count: count + 1)
        var (last, isAscending) = (0, true)
        for number in numbers {
            isAscending = isAscending && number.map { $0 >= last } ?? false
            guard let number else { continue }
            last = number
            starts[number + 1] += 1
        }
        for group in 0..<count { starts[group + 1] += starts[group] }
        self.init(isAscending ? elements : elements.sorted(by: numbers, starts: starts), starts: starts)
    }

    private init(_ elements: [Element], starts: [Int]) {
        self.elements = elements
        self.starts = starts
    }

    var startIndex: Int { 0 }
    var endIndex: Int { starts.isEmpty ? elements.count : starts.count - 1 }

    subscript(group: Int) -> ArraySlice<Element> {
        starts.isEmpty ? elements[group...group] : elements[starts[group]..<starts[group + 1]]
    }
}

extension Array {
    /// Whether no two elements have equal keys.
    fileprivate func isDistinct<Key: Hashable>(by key: (Element) -> Key) -> Bool {
        // For few elements, comparing is faster than hashing.
        guard count > 16 else {
            return indices.allSatisfy { index in
                let found = key(self[index])
                return !indices[..<index].contains { key(self[$0]) == found }
            }
        }
        return Set(lazy.map(key)).count == count
    }

    /// Returns the elements with a group, by a counting sort.
    fileprivate func sorted(by numbers: [Int?], starts: [Int]) -> [Element] {
        var (order, next) = ([Int](repeating: 0, count: starts[starts.count - 1]), starts)
        for (index, number) in numbers.enumerated() {
            guard let number else { continue }
            order[next[number]] = index
            next[number] += 1
        }
        return order.map { self[$0] }
    }
}

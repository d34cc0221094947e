/// A list that mostly has one element, which it holds without an allocation.
struct ShortList<Element: Hashable & Sendable>: Hashable, Sendable {
    private(set) var first: Element?
    private var others: [Element]

    init() {
        others = []
    }

    init(_ elements: some Collection<Element>) {
        others = []
        for element in elements { append(element) }
    }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }
}

extension ShortList: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { first == nil ? 0 : 1 + others.count }

    subscript(index: Int) -> Element {
        if index == 0, let first { return first }
        return others[index - 1]
    }
}

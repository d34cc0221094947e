/// Union-find (Tarjan 1975) with path halving and union by size. It groups directly or indirectly joined elements.
package struct DisjointSets<Element: Hashable> {
    private var indices: [Element: Int] = [:]
    /// The elements that were united or looked up.
    package private(set) var elements: [Element] = []
    private var parents: [Int] = []
    private var sizes: [Int] = []

    package init() {}

    /// Returns the root of an element's set. An element that was never united is its own root.
    package mutating func root(of element: Element) -> Element {
        elements[root(ofIndex: index(of: element))]
    }

    package mutating func unite(_ left: Element, _ right: Element) {
        var (large, small) = (root(ofIndex: index(of: left)), root(ofIndex: index(of: right)))
        guard large != small else { return }
        if sizes[large] < sizes[small] { swap(&large, &small) }
        parents[small] = large
        sizes[large] += sizes[small]
    }

    private mutating func index(of element: Element) -> Int {
        if let index = indices[element] { return index }
        let index = elements.count
        indices[element] = index
        elements.append(element)
        parents.append(index)
        sizes.append(1)
        return index
    }

    private mutating func root(ofIndex index: Int) -> Int {
        var index = index
        while parents[index] != index {
            parents[index] = parents[parents[index]]
            index = parents[index]
        }
        return index
    }
}

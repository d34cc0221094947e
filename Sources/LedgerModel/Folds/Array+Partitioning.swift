extension RandomAccessCollection {
    /// Returns the index of the first element that satisfies `belongsBehind`; `endIndex` when there is none.
    /// - Precondition: the elements that satisfy it come after all others.
    /// - Complexity: O(log n).
    package func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Index {
        var (low, count) = (startIndex, count)
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if belongsBehind(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}

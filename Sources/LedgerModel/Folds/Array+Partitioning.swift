extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that satisfies `belongsBehind`; `endIndex` when there is none.
    /// - Precondition: the elements that satisfy it come after all others.
    /// - Complexity: O(log n).
    // Public, since a package function is not specialized for the callers in other modules.
    @inlinable
    public func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

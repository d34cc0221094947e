/// The reason that a row could not be measured.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}

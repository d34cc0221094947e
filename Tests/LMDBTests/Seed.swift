import Glibc
import LedgerTesting

/// The seeds of a property test: SUBLEDGER_SEED alone, to replay a failure, or 1 through SUBLEDGER_SEEDS (by default
/// `count`).
func seeds(_ count: UInt64) -> [UInt64] {
    func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
    if let seed = number("SUBLEDGER_SEED") { return [seed] }
    return Array(1...max(1, number("SUBLEDGER_SEEDS") ?? count))
}

extension SeededRandom {
    /// A nonzero difference for a byte.
    mutating func change() -> UInt8 { UInt8.random(in: 1...255, using: &self) }
}

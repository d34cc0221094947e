import Glibc
import TestSupport

/// The seeds of a property test: the one in SUBLEDGER_SEED, to replay a failure, or as many as
/// SUBLEDGER_SEEDS says.
func seeds(_ count: UInt64) -> [UInt64] {
    func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
    if let seed = number("SUBLEDGER_SEED") { return [seed] }
    return Array(1...max(1, number("SUBLEDGER_SEEDS") ?? count))
}

extension SeededRandom {
    /// What to change a byte by.
    mutating func change() -> UInt8 { UInt8.random(in: 1...255, using: &self) }
}

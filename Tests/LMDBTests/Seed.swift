import Glibc

/// The seeds of a property test: the one in SUBLEDGER_SEED, to replay a failure, or as many as
/// SUBLEDGER_SEEDS says.
func seeds(_ count: UInt64) -> [UInt64] {
    func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
    if let seed = number("SUBLEDGER_SEED") { return [seed] }
    return Array(1...max(1, number("SUBLEDGER_SEEDS") ?? count))
}

/// SplitMix64: small, and the same everywhere for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// What to change a byte by.
    mutating func change() -> UInt8 { UInt8.random(in: 1...255, using: &self) }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}

/// An integer modulo the order n of P-256's group (FIPS 186-4, D.1.2.3), as four little-endian words.
struct P256Scalar {
    private let words: Words

    private typealias Words = InlineArray<4, UInt64>

    private static let order: Words = [
        0xF3B9_CAC2_FC63_2551, 0xBCE6_FAAD_A717_9E84, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_0000_0000,
    ]
    /// −1/n modulo 2^64, the factor of Montgomery reduction.
    private static let reducer: UInt64 = 0xCCD1_C8AA_EE00_BC4F
    /// 2^512 modulo n. Multiplying by it converts to Montgomery form.
    private static let entry: Words = [
        0x8324_4C95_BE79_EEA2, 0x4699_799C_49BD_6FA6, 0x2845_B239_2B6B_EC59, 0x66E1_2D94_F3D9_5620,
    ]

    private init(_ words: Words) { self.words = words }

    /// Creates a scalar from 32 big-endian bytes, modulo n.
    init(reducing bytes: some Collection<UInt8>) {
        precondition(bytes.count == 32, "a scalar has 32 bytes")
        var words: Words = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() {
            words[3 - index / 8] = words[3 - index / 8] << 8 | UInt64(byte)
        }
        // 2^256 < 2n, so one subtraction is enough.
        self.words = Self.reduced(words, carry: 0)
    }

    /// The scalar as 32 big-endian bytes.
    var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[3 - $0 / 8] >> UInt64(56 - $0 % 8 * 8)) }
    }

    var isZero: Bool { words[0] | words[1] | words[2] | words[3] == 0 }

    /// n − self; zero for zero.
    var negated: P256Scalar {
        if isZero { return self }
        return P256Scalar(Self.subtracting(words, from: Self.order).difference)
    }

    static func + (left: P256Scalar, right: P256Scalar) -> P256Scalar {
        var sum: Words = [0, 0, 0, 0]
        var carry: UInt64 = 0
        for index in 0..<4 {
            let total = UInt128(left.words[index]) + UInt128(right.words[index]) + UInt128(carry)
            sum[index] = UInt64(truncatingIfNeeded: total)
            carry = UInt64(truncatingIfNeeded: total >> 64)
        }
        return P256Scalar(reduced(sum, carry: carry))
    }

    static func * (left: P256Scalar, right: P256Scalar) -> P256Scalar {
        P256Scalar(montgomery(montgomery(left.words, right.words), entry))
    }

    /// self^(n − 2), the inverse by Fermat's little theorem.
    var inverse: P256Scalar {
        let base = Self.montgomery(words, Self.entry)
        var power = Self.montgomery([1, 0, 0, 0], Self.entry)
        let exponent = Self.subtracting([2, 0, 0, 0], from: Self.order).difference
        for bit in stride(from: 255, through: 0, by: -1) {
            power = Self.montgomery(power, power)
            if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { power = Self.montgomery(power, base) }
        }
        return P256Scalar(Self.montgomery(power, [1, 0, 0, 0]))
    }

    /// left × right / 2^256 modulo n, word by word (Koç, Acar, Kaliski 1996, CIOS).
    private static func montgomery(_ left: Words, _ right: Words) -> Words {
        var sum: InlineArray<6, UInt64> = [0, 0, 0, 0, 0, 0]
        for index in 0..<4 {
            addProduct(left, right[index], to: &sum)
            addProduct(order, sum[0] &* reducer, to: &sum)
            // The lowest word is now zero, so the shift divides by 2^64.
            for word in 0..<5 { sum[word] = sum[word + 1] }
            sum[5] = 0
        }
        return reduced([sum[0], sum[1], sum[2], sum[3]], carry: sum[4])
    }

    private static func addProduct(_ words: Words, _ factor: UInt64, to sum: inout InlineArray<6, UInt64>) {
        var carry: UInt64 = 0
        for index in 0..<4 {
            // (2^64 − 1)^2 + 2 (2^64 − 1) = 2^128 − 1, so this cannot overflow.
            let total = UInt128(words[index]) * UInt128(factor) + UInt128(sum[index]) + UInt128(carry)
            sum[index] = UInt64(truncatingIfNeeded: total)
            carry = UInt64(truncatingIfNeeded: total >> 64)
        }
        let (low, overflow) = sum[4].addingReportingOverflow(carry)
        sum[4] = low
        sum[5] &+= overflow ? 1 : 0
    }

    /// Reduces `words` + carry × 2^256, which is below 2n, modulo n.
    private static func reduced(_ words: Words, carry: UInt64) -> Words {
        let (difference, borrow) = subtracting(order, from: words)
        return carry == 0 && borrow ? words : difference
    }

    private static func subtracting(_ subtrahend: Words, from minuend: Words) -> (difference: Words, borrow: Bool) {
        var difference: Words = [0, 0, 0, 0]
        var borrow: UInt64 = 0
        for index in 0..<4 {
            let (first, underflow) = minuend[index].subtractingReportingOverflow(subtrahend[index])
            let (second, underflowAgain) = first.subtractingReportingOverflow(borrow)
            difference[index] = second
            borrow = underflow || underflowAgain ? 1 : 0
        }
        return (difference, borrow == 1)
    }
}

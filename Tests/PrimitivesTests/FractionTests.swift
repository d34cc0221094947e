import Primitives
import Testing

@Suite struct `A product with fractions` {
    @Test(
        arguments: [
            (10, Fraction(1, over: 4), 2), (30, Fraction(1, over: 4), 8), (11, Fraction(1, over: 4), 3),
            (-10, Fraction(1, over: 4), -2), (-11, Fraction(1, over: 4), -3), (7, Fraction(0, over: 5), 0),
            (.max, .one, .max), (.max, Fraction(1, over: 2), 4_611_686_018_427_387_904),
        ] as [(Int64, Fraction, Int64)])
    func `is rounded half to even`(value: Int64, factor: Fraction, expected: Int64) {
        #expect(value.scaled(by: factor) == expected)
    }

    @Test func `is rounded once`() {
        // 5 / 2 = 2.5 would be 2, and 2 * 3 = 6.
        #expect(Int64(5).scaled(by: Fraction(1, over: 2), Fraction(3, over: 1)) == 8)
        #expect(Int64(8_990).scaled(by: Fraction(10_411, over: 10_000)) == 9_359)
    }

    @Test func `beyond the range is not known`() {
        #expect(Int64.max.scaled(by: Fraction(2, over: 1)) == nil)
        let largest = Fraction(.max, over: 1)
        #expect(Int64.max.scaled(by: largest, largest) == nil)
        #expect(Int64.min.scaled(by: .one) == nil)
    }
}

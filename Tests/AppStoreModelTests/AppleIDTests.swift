import AppStoreModel
import LedgerTesting
import Primitives
import Testing

@Suite struct `An Apple id` {
    /// Texts, with whether each is held as a number.
    static let texts: [(text: String, isNumber: Bool)] = [
        ("0", true), ("1", true), ("9", true), ("10", true), ("2000000123456789", true),
        ("704897469903383919", true), ("9223372036854775807", true),
        ("9223372036854775808", false), ("18446744073709551615", false), ("99999999999999999999", false),
        ("", false), ("00", false), ("01", false), ("-1", false), ("+1", false), (" 1", false), ("1 ", false),
        ("1a", false), ("\u{661}", false), ("item-1", false),
    ]

    @Test(arguments: texts)
    func `keeps its text`(text: String, isNumber: Bool) {
        let id = AppleID(text)
        #expect(id.text == text)
        if case .number = id.form { #expect(isNumber) } else { #expect(!isNumber) }
        #expect(AppleID(id.form) == id)
        #expect(AppleID(existing: text) == id)
    }

    @Test func `is equal only to the id of the same text`() {
        for left in Self.texts {
            for right in Self.texts {
                #expect((AppleID(left.text) == AppleID(right.text)) == (left.text == right.text))
            }
        }
    }

    @Test func `is ordered like the bytes of its text`() {
        var generator = SeededRandom()
        var texts = Self.texts.map(\.text)
        for _ in 0..<300 { texts.append("\(generator.next() >> UInt64.random(in: 0..<64, using: &generator))") }
        for left in texts {
            for right in texts {
                let precedes = left.utf8.lexicographicallyPrecedes(right.utf8)
                #expect((AppleID(left) < AppleID(right)) == precedes, "\(left) \(right), seed \(SeededRandom.seed)")
            }
        }
    }

    @Test func `of an unknown text is not made`() {
        let text = "never seen \(UInt64.random(in: 0 ... .max))"
        #expect(AppleID(existing: text) == nil)
        #expect(Symbol(existing: text) == nil)
    }
}

import EventLog
import Primitives
import Testing

@Suite struct `Packing dictionaries` {
    /// What was packed with a dictionary needs it for good: a number's bytes are frozen, better ones get a new number.
    @Test func `never change`() throws {
        let one = try #require(PackingDictionary.bytes(number: 1))
        #expect(one.count == 2_748)
        #expect(Digest.sha256(of: one).hex == "9bd667043edd8dd6b0d75d49de0857ce01b656340b10c14b04d1ce9dc188e58b")
    }

    @Test func `have numbers from 1 to the current one`() {
        for number in UInt8.min...UInt8.max {
            #expect((PackingDictionary.bytes(number: number) != nil) == (1...PackingDictionary.current ~= number))
        }
    }
}

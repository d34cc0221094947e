import EventLog
import Primitives
import Testing

@Suite struct `Packing dictionaries` {
    /// Packed evidence needs its dictionary permanently. The bytes of a number are frozen; a better dictionary gets a
    /// new number.
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

import AppStoreVerification
import Primitives
import Testing

@Suite struct `A JWS without three segments` {
    @Test(arguments: [("", "nothing"), ("e30", "one segment"), ("e30.e30", "two segments")])
    func `is refused with how many it has`(_ text: String, _ found: String) throws {
        let refusal = try #require(throws: Refusal.self) { try JWS(parsing: Array(text.utf8)) }
        #expect(refusal.code == .jwsMalformed)
        #expect(refusal.expected == "three segments")
        #expect(refusal.found == found)
    }
}

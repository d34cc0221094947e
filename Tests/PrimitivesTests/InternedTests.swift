import Primitives
import Testing

@Suite struct `A symbol` {
    @Test func `is equal to the symbol of the same bytes, and keeps its text and number`() {
        let symbol = Symbol("com.example.app.interned")
        #expect(symbol == Symbol("com.example.app." + "interned"))
        #expect(symbol.text == "com.example.app.interned")
        #expect(Symbol(index: symbol.index) == symbol)
        #expect(symbol != Symbol("com.example.app.other"))
    }

    @Test func `differs from that of other bytes that Unicode counts as equal`() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        #expect(Symbol(composed) != Symbol(decomposed))
        #expect(Array(Symbol(decomposed).text.utf8) == Array(decomposed.utf8))
    }

    @Test func `is found without being made`() {
        let text = "never interned \(UInt64.random(in: 0 ... .max))"
        #expect(Symbol(existing: text) == nil)
        let symbol = Symbol(text)
        #expect(Symbol(existing: text) == symbol)
        #expect(Symbol(index: .max) == nil)
    }

    @Test func `is the same from every thread`() async {
        let texts = (0..<200).map { "thread \($0)" }
        let rounds = await withTaskGroup(of: [Symbol].self) { group in
            for _ in 0..<8 { group.addTask { texts.map { Symbol($0) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(rounds.allSatisfy { $0 == rounds[0] })
        #expect(rounds[0].map(\.text) == texts)
    }
}

@Suite struct `The bytes of a UUID` {
    @Test func `are read in either case and written in lower case`() throws {
        let text = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        let uuid = try #require(UUIDBytes(text))
        #expect(uuid.value == 0x7e3f_b20b_4cdb_47cc_936d_99d6_5f60_8138)
        #expect(UUIDBytes(text.uppercased()) == uuid)
        #expect(uuid.text == text)
    }

    @Test(arguments: [
        "", "7e3fb20b-4cdb-47cc-936d-99d65f60813", "7e3fb20b-4cdb-47cc-936d-99d65f6081388",
        "7e3fb20b4-cdb-47cc-936d-99d65f608138", "7e3fb20b-4cdb-47cc-936d-99d65f60813g",
        "{7e3fb20b-4cdb-47cc-936d-99d65f6081}", "7e3fb20b-4cdb-47cc-936d_99d65f608138",
    ])
    func `are not read from any other text`(text: String) {
        #expect(UUIDBytes(text) == nil)
    }
}

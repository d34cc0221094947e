import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct `Signed notes` {
    static func read(_ text: String) throws -> SignedNote {
        try SignedNote(bytes: Array(text.utf8))
    }

    @Test(arguments: [
        (
            "ledger.example/log\n3\nlPvQ3YNvUDAWkubQ6t5yjuGexSv/8WBu2AfIV11aqhk=\n",
            "EWOd1N7/K7/6dDO7Ei+3oRbDVZ8dc+hOeQrnO5koqJsz6lBVHwW5MJ/OyKNkUspXtgTnpNf3MaG0a27mOVDWQM6y5g8="
        ),
        (PublishedNote.text, PublishedNote.signature),
    ])
    func `signing is deterministic and gives the published notes`(text: String, signature: String) throws {
        let note = try TestKey.signer.sign(text)
        #expect(String(decoding: note.bytes, as: UTF8.self) == "\(text)\n\u{2014} ledger.example/log \(signature)\n")
        #expect(try note.verifiedText(by: [NoteVerifier(text: TestKey.vkey)]) == text)
        #expect(try SignedNote(bytes: note.bytes).bytes == note.bytes)
    }

    @Test func `the specification's example verifies`() throws {
        let note = try Self.read(
            """
            This is an example message.

            — example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=

            """)
        let key = try NoteVerifier(text: "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
        #expect(try note.verifiedText(by: [key]) == "This is an example message.\n")
    }

    @Test func `every note with a flipped bit is refused`() throws {
        let key = try NoteVerifier(text: TestKey.vkey)
        let bytes = Array(PublishedNote.note.utf8)
        for place in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[place] ^= 1 << UInt8(bit)
                #expect(throws: TreeError.self, "bit \(bit) of byte \(place)") {
                    try SignedNote(bytes: flipped).verifiedText(by: [key])
                }
            }
        }
    }

    @Test func `every note that is cut short is refused`() throws {
        let bytes = Array(PublishedNote.note.utf8)
        for length in bytes.indices {
            #expect(treeErrorCode { try SignedNote(bytes: Array(bytes.prefix(length))) } == .noteMalformed)
        }
    }

    @Test(arguments: [
        "", "\n", "\n\n", "text\n", "text\n\n", "text\n\n\n", "text\n— name AAAAAAA=\n", "text\n\n— name AAAAAAA=",
        "text\n\n— name AAAA\n", "text\n\n— name AAAAAA==\n", "text\n\n— name AAAAAAB=\n", "text\n\n— name AAAAAAA\n",
        "text\n\n— name\n", "text\n\n—  AAAAAAA=\n", "text\n\n— name  AAAAAAA=\n", "text\n\n— name AAAAAAA= \n",
        "text\n\n— na+me AAAAAAA=\n", "text\n\n— na\u{A0}me AAAAAAA=\n", "text\n\n- name AAAAAAA=\n",
        "text\n\n–name AAAAAAA=\n", "text\n\n—name AAAAAAA=\n", "text\n\n — name AAAAAAA=\n", "text\n\nname AAAAAAA=\n",
        "text\n\n— name AAAAAAA=\nmore\n", "text\n\n— name AAAAAAA=\n\n", "text\n\n— name AAAAAAA=\r\n",
        "te\txt\n\n— name AAAAAAA=\n", "te\u{1}xt\n\n— name AAAAAAA=\n", "text\r\n\r\n— name AAAAAAA=\r\n",
        "\n— name AAAAAAA=\n",
    ])
    func `a malformed note is refused`(text: String) {
        #expect(treeErrorCode { try Self.read(text) } == .noteMalformed)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        for bad in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
            let inText = bad + "\n\n— name AAAAAAA=\n".utf8
            let inName = "text\n\n— ".utf8 + bad + " AAAAAAA=\n".utf8
            #expect(treeErrorCode { try SignedNote(bytes: inText) } == .noteMalformed)
            #expect(treeErrorCode { try SignedNote(bytes: inName) } == .noteMalformed)
        }
    }

    @Test(arguments: ["\n", "a\n\nb\n", "a\n\n", "\n\n\n", "— name AAAAAAA=\n\n— name AAAAAAA=\n"])
    func `the last empty line ends the text`(text: String) throws {
        let note = try TestKey.signer.sign(text)
        #expect(note.text == text)
        let again = try SignedNote(bytes: note.bytes)
        #expect(again.text == text)
        #expect(again.signatures == note.signatures)
        #expect(try again.verifiedText(by: [TestKey.signer.verifier]) == text)
    }

    @Test(arguments: ["", "text", "text\n\nmore", "te\txt\n", "text\r\n", "\0\n"])
    func `a text that no note can have is not signed`(text: String) {
        #expect(treeErrorCode { try TestKey.signer.sign(text) } == .noteMalformed)
    }

    @Test func `a signature by an unknown key neither helps nor hurts`() throws {
        let key = try TestKey.signer.verifier
        let others = try (0..<3).map { _ in try NoteSigner.generate(name: "ledger.example/log") }
        let note = try TestKey.signer.sign(PublishedNote.text)
        let unknown = try others.map { try $0.sign("another text\n").signatures[0] }
        let mixed = try SignedNote(text: note.text, signatures: [unknown[0]] + note.signatures + unknown.dropFirst())
        #expect(try SignedNote(bytes: mixed.bytes).bytes == mixed.bytes)
        #expect(try mixed.verifiedText(by: [key]) == PublishedNote.text)

        let foreign = try SignedNote(text: note.text, signatures: unknown)
        #expect(treeErrorCode { try foreign.verifiedText(by: [key]) } == .noteKeyUnknown)
        #expect(treeErrorCode { try note.verifiedText(by: []) } == .noteKeyUnknown)
    }

    @Test func `a bad signature by a known key refuses the note`() throws {
        let (first, second) = (try TestKey.signer, try NoteSigner.generate(name: "witness.example"))
        let good = try first.sign("text\n").signatures
        let bad = try second.sign("another text\n").signatures
        let note = try SignedNote(text: "text\n", signatures: good + bad)
        #expect(
            treeErrorCode { try note.verifiedText(by: [first.verifier, second.verifier]) }
                == .noteSignatureInvalid)
        #expect(try note.verifiedText(by: [first.verifier]) == "text\n")
    }

    @Test func `a key of the same name or the same id is another key`() throws {
        let note = String(decoding: try TestKey.signer.sign("text\n").bytes, as: UTF8.self)
        let renamed = try Self.read(note.replacing("ledger.example/log", with: "ledger.example/other"))
        let key = try TestKey.signer.verifier
        #expect(treeErrorCode { try renamed.verifiedText(by: [key]) } == .noteKeyUnknown)
        let reidentified = try Self.read(note.replacing(" EWOd1", with: " EWOd0"))
        #expect(treeErrorCode { try reidentified.verifiedText(by: [key]) } == .noteKeyUnknown)
    }

    @Test func `a note has at most 32 signatures and 256 KiB`() throws {
        let line = "— name AAAAAAA=\n"
        #expect(try Self.read("text\n\n" + String(repeating: line, count: 32)).signatures.count == 32)
        #expect(treeErrorCode { try Self.read("text\n\n" + String(repeating: line, count: 33)) } == .noteTooLarge)
        #expect(treeErrorCode { try Self.read("text\n\n" + String(repeating: line, count: 10_000)) } == .noteTooLarge)

        let signature = try TestKey.signer.sign("text\n").signatures[0]
        #expect(
            treeErrorCode { () throws(TreeError) in
                try SignedNote(text: "text\n", signatures: Array(repeating: signature, count: 33))
            } == .noteTooLarge)

        let overhead = try TestKey.signer.sign("\n").bytes.count
        let longest = String(repeating: "a", count: 256 * 1_024 - overhead) + "\n"
        let note = try TestKey.signer.sign(longest)
        #expect(note.bytes.count == 256 * 1_024)
        #expect(try SignedNote(bytes: note.bytes).bytes == note.bytes)
        #expect(treeErrorCode { try TestKey.signer.sign("a" + longest) } == .noteTooLarge)
        #expect(treeErrorCode { try SignedNote(bytes: [0x61] + note.bytes) } == .noteTooLarge)
    }

    @Test func `sixteen post-quantum signatures fit`() throws {
        let line = "— witness.example/key \(Base64.encode([UInt8](repeating: 7, count: 5_000)))\n"
        #expect(try Self.read("text\n\n" + String(repeating: line, count: 16)).signatures.count == 16)
    }

    @Test func `any bytes are answered`() {
        var generator = SeededRandom()
        let seed = Array(PublishedNote.note.utf8)
        for _ in 0..<5_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.insert([10, 32, 0x2B, 0xE2].randomElement(using: &generator) ?? 10, at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                }
            }
            if let note = try? SignedNote(bytes: bytes) { #expect(note.bytes == bytes, "seed \(SeededRandom.seed)") }
        }
    }
}

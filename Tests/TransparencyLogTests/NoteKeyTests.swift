import Primitives
import Testing
import TransparencyLog

@Suite struct `Note keys` {
    @Test(arguments: [
        TestKey.vkey,
        // The example of C2SP signed-note.
        "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
    ])
    func `a public key is read and written as text`(text: String) throws {
        #expect(try NoteVerifier(text: text).text == text)
    }

    @Test func `a private key is read and written as text`() throws {
        let signer = try TestKey.signer
        #expect(signer.verifier.text == TestKey.vkey)
        #expect(signer.verifier.key.name == "ledger.example/log")
        #expect(signer.verifier.key.id == 0x1163_9dd4)
        #expect(signer.secretText == TestKey.secretText)
    }

    @Test func `a new key is like no other and survives its text`() throws {
        let signers = try (0..<8).map { _ in try NoteSigner.generate(name: "ledger.example/log") }
        #expect(Set(signers.map(\.secretText)).count == 8)
        for signer in signers {
            #expect(try NoteSigner(secretText: signer.secretText).verifier.text == signer.verifier.text)
            #expect(try NoteVerifier(text: signer.verifier.text).text == signer.verifier.text)
        }
    }

    @Test func `a private key prints without its secret`() throws {
        let signer = try TestKey.signer
        var printed = "\(signer) \(String(reflecting: signer)) \([signer]) \(Optional(signer) as Any)"
        dump(signer, to: &printed)
        dump(["key": signer], to: &printed)
        #expect(printed.contains("NoteSigner(ledger.example/log+11639dd4)"))
        let seed = Base64.encode([1] + TestKey.seed).dropFirst(4).prefix(8)
        #expect(!printed.contains(seed))
        #expect(!printed.contains("PRIVATE"))
        #expect(!printed.contains("1, 2, 3"))
        #expect(!printed.contains("- 17"))
    }

    @Test(arguments: [
        "", "ledger.example/log", "ledger.example/log+11639dd4",
        "+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log+11639dd5+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/other+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log+11639DD4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log+1639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log+011639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log++11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log++AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log+11639dd4+", "ledger.example/log+11639dd4+AQ==",
        "ledger.example/log+11639dd4+AgOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG5",
        "ledger.example/log+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVQ==",
        "ledger.example/log+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4AA==",
        "ledger.example/log+11639dd4+AQOhB7/zzhC-HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        "ledger.example/log+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4\n",
        "ledger example/log+11639dd4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        TestKey.secretText,
    ])
    func `a malformed public key is refused`(text: String) {
        let error = #expect(throws: TreeError.self) { try NoteVerifier(text: text) }
        #expect(error?.code == .noteKeyMalformed)
    }

    @Test func `a malformed private key is refused without being quoted`() {
        let material = Base64.encode([1] + TestKey.seed)
        for text in [
            "", TestKey.vkey, "PRIVATE+KEY+", String(TestKey.secretText.dropFirst()), TestKey.secretText + "\n",
            "PRIVATE+KEY+ledger.example/log+11639dd5+\(material)",
            "PRIVATE+KEY+ledger.example/other+11639dd4+\(material)",
            "PRIVATE+KEY+ledger.example/log+11639dd4+\(Base64.encode([2] + TestKey.seed))",
            "PRIVATE+KEY+ledger.example/log+11639dd4+\(Base64.encode([1] + TestKey.seed.dropLast()))",
            "PRIVATE+KEY+\(material)",
        ] {
            let error = #expect(throws: TreeError.self) { try NoteSigner(secretText: text) }
            #expect(error?.code == .noteKeyMalformed)
            #expect(error.map { !"\($0)".contains(material.prefix(12)) } == true)
        }
    }

    @Test func `a name has neither white space nor plus sign`() {
        #expect(["a", "ledger.example/log", "журнал.example", "a:1"].allSatisfy(NoteKey.isValid(name:)))
        for name in [
            "", " ", "a b", "a+b", "a\n", "a\tb", "a\r\nb", "a\u{A0}b", "a\u{2003}b", "a\u{3000}", "a\u{85}", "a\0",
        ] {
            #expect(!NoteKey.isValid(name: name))
            #expect(throws: TreeError.self) { try NoteSigner.generate(name: name) }
        }
    }
}

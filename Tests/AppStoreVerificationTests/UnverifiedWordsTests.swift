import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives
import Testing

@Suite struct `A new word in a payload` {
    let verifier = SignedDataVerifier(trust: .sample)
    let word = "WORD_\(UInt64.random(in: 0 ... .max))"

    @Test func `is not interned when the signature is refused`() async throws {
        let jws = Sample.signer.sign(Sample.notification(["notificationType": .string(word)]))
        let forged = Array(jws.compact.dropLast(4)) + Array("AAAA".utf8)
        guard case .failure(let refusal) = await verifier.verify(forged) else {
            Issue.record("a forged signature is accepted")
            return
        }
        #expect(refusal.code == .signatureInvalid)
        #expect(Symbol(existing: word) == nil)
    }

    @Test func `is kept when the signature is verified`() async throws {
        let jws = Sample.signer.sign(Sample.notification(["notificationType": .string(word)]))
        guard case .notification(let notification) = try await verifier.verify(jws.compact).get() else {
            Issue.record("not a notification")
            return
        }
        #expect(notification.outer.payload.payload.notificationType?.rawValue == word)
    }
}

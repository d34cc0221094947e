import AppStoreSimulation
import AppStoreVerification
import Dispatch
import Primitives
import Synchronization

/// Verifies the fuzzer's inputs, and traps when the verifier accepts one that was never signed.
struct VerificationFuzz: Sendable {
    enum Place: UInt8, CaseIterable {
        /// The whole text.
        case text
        /// The payload under a known header, so that JSON and fields are parsed.
        case payload
        /// The JOSE header, so that JSON and certificates are parsed.
        case header
        /// The container of a receipt, so that CMS is parsed.
        case container
        /// The content of a receipt under a known signature's certificates, so that ASN.1 is parsed.
        case content

        fileprivate init(_ byte: UInt8) { self = Self.allCases[Int(byte) % Self.allCases.count] }
    }

    /// Valid inputs for the corpus. The first byte of each selects the `Place` that the rest replaces.
    let seeds: [[UInt8]]
    private let verifier: SignedDataVerifier
    private let signingInputs: Set<[UInt8]>
    private let receipts: Set<Digest>
    private let known: SignedJWS
    private let now = Instant.latest

    init() {
        let authority = SigningAuthority.standard
        guard let root = try? ConfiguredRoot(file: authority.rootCertificate),
            let receiptRoot = try? ConfiguredRoot(file: ReceiptSigner.standard.rootCertificate),
            let containers = try? ReceiptMutator.originals()
        else { preconditionFailure("the authorities sign, and their roots are certificates") }
        verifier = SignedDataVerifier(trust: TrustPolicy(configuredRoots: [root, receiptRoot]))
        let contents = containers.compactMap { try? StoredArtifact($0, kind: .receipt).signingInput }
        receipts = Set(contents)
        let artifacts = BulkNotifications(count: 3)
        known = artifacts[0].jws
        let signed = artifacts.flatMap { [$0.jws, $0.transaction, $0.renewalInfo].compactMap(\.self) }
        signingInputs = Set(signed.map(\.signingInput))
        let texts = signed.flatMap { jws in
            [
                [Place.text.rawValue] + jws.compact, [Place.payload.rawValue] + jws.payload,
                [Place.header.rawValue] + jws.header,
            ]
        }
        seeds =
            texts + containers.map { [Place.container.rawValue] + $0 }
            + ReceiptMutator.contents.map { [Place.content.rawValue] + $0 }
    }

    func test(_ input: some Sequence<UInt8>) {
        var input = Array(input)
        guard let place = input.first.map(Place.init) else { return }
        input.removeFirst()
        if place == .content { input = (try? ReceiptSigner.standard.sign(content: input, signed: [])) ?? [] }
        if place == .container || place == .content {
            testReceipt(input)
            return
        }
        let parts = known.text.split(separator: ".")
        let text: [UInt8] =
            switch place {
            case .text: input
            case .payload: Array("\(parts[0]).\(Base64URL.encode(input)).\(parts[2])".utf8)
            case .header: Array("\(Base64URL.encode(input)).\(parts[1]).\(parts[2])".utf8)
            case .container, .content: []
            }
        guard case .success(let artifact) = verify(text), let jws = artifact.jws else { return }
        precondition(
            signingInputs.contains(Array(jws.text[..<jws.payloadEnd])),
            "accepted, yet never signed: \(String(decoding: text, as: UTF8.self))")
    }

    private func testReceipt(_ container: [UInt8]) {
        guard case .success(let artifact) = verify(container, as: .receipt) else { return }
        precondition(
            receipts.contains(artifact.proof.signingInput), "accepted, yet never signed: \(Hex.encode(container))")
    }

    /// Verifies an input synchronously, since the fuzzer tests one input at a time.
    private func verify(_ text: [UInt8], as kind: ArtifactKind? = nil) -> Result<SignedArtifact, Refusal> {
        let answer = Answer()
        Task.detached { [verifier, now] in
            answer.give(await verifier.verify(text, as: kind, now: now))
        }
        return answer.wait()
    }
}

/// Passes a result from a task to the waiting thread.
private final class Answer: Sendable {
    private let result = Mutex<Result<SignedArtifact, Refusal>?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    func give(_ result: Result<SignedArtifact, Refusal>) {
        self.result.withLock { $0 = result }
        isGiven.signal()
    }

    func wait() -> Result<SignedArtifact, Refusal> {
        isGiven.wait()
        guard let result = result.withLock({ $0 }) else { preconditionFailure("signalled without a result") }
        return result
    }
}

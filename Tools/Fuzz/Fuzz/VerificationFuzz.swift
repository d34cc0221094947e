import AppStoreSimulation
import AppStoreVerification
import Dispatch
import Primitives
import Synchronization

/// Verifies what the fuzzer makes up, and stops the process should anything be accepted that was not signed.
struct VerificationFuzz: Sendable {
    enum Place: UInt8, CaseIterable {
        /// The whole text.
        case text
        /// The payload under a header that is known, so that JSON and fields are read.
        case payload
        /// The JOSE header, so that JSON and certificates are read.
        case header

        fileprivate init(_ byte: UInt8) { self = Self.allCases[Int(byte) % Self.allCases.count] }
    }

    /// Valid inputs to start from; the first byte of each says what the rest is put in the place of.
    let seeds: [[UInt8]]
    private let verifier: SignedDataVerifier
    private let signingInputs: Set<[UInt8]>
    private let known: SignedJWS
    private let now = Instant.latest

    init() {
        let authority = SigningAuthority.standard
        guard let root = try? ConfiguredRoot(file: authority.rootCertificate) else {
            preconditionFailure("the authority's root is a certificate")
        }
        verifier = SignedDataVerifier(trust: TrustPolicy(configuredRoots: [root]))
        let artifacts = BulkNotifications(count: 3)
        known = artifacts[0].jws
        let signed = artifacts.flatMap { [$0.jws, $0.transaction, $0.renewalInfo].compactMap(\.self) }
        signingInputs = Set(signed.map(\.signingInput))
        seeds = signed.flatMap { jws in
            [
                [Place.text.rawValue] + jws.compact, [Place.payload.rawValue] + jws.payload,
                [Place.header.rawValue] + jws.header,
            ]
        }
    }

    func test(_ input: some Sequence<UInt8>) {
        var input = Array(input)
        guard let place = input.first.map(Place.init) else { return }
        input.removeFirst()
        let parts = known.text.split(separator: ".")
        let text: [UInt8] =
            switch place {
            case .text: input
            case .payload: Array("\(parts[0]).\(Base64URL.encode(input)).\(parts[2])".utf8)
            case .header: Array("\(Base64URL.encode(input)).\(parts[1]).\(parts[2])".utf8)
            }
        guard case .success(let artifact) = verify(text) else { return }
        precondition(
            signingInputs.contains(Array(artifact.jws.text[..<artifact.jws.payloadEnd])),
            "accepted, yet never signed: \(String(decoding: text, as: UTF8.self))")
    }

    /// Waits for the answer: the fuzzer takes one input at a time.
    private func verify(_ text: [UInt8]) -> Result<SignedArtifact, Refusal> {
        let answer = Answer()
        Task.detached { [verifier, now] in
            answer.give(await verifier.verify(text, now: now))
        }
        return answer.wait()
    }
}

/// Hands a result from a task to the thread that waits for it.
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

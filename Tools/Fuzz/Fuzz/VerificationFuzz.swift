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

        fileprivate init(_ byte: UInt8) { self = Self.allCases[Int(byte) % Self.allCases.count] }
    }

    /// Valid inputs for the corpus. The first byte of each selects the `Place` that the rest replaces.
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

    /// Verifies an input synchronously, since the fuzzer tests one input at a time.
    private func verify(_ text: [UInt8]) -> Result<SignedArtifact, Refusal> {
        let answer = Answer()
        Task.detached { [verifier, now] in
            answer.give(await verifier.verify(text, now: now))
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

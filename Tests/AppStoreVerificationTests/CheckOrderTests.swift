import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives
import Testing

/// The possible defects of a notification, in the order of their checks.
enum Defect: Int, CaseIterable, Sendable {
    case form, algorithm, localEnvironment, certificateCount, chain, validity, leafMarker, intermediateMarker,
        signature, claimType, bundleId, appAppleId, environment, signingTime, nested

    var code: String {
        switch self {
        case .form: "jws_malformed"
        case .algorithm: "algorithm_unsupported"
        case .localEnvironment: "environment_refused"
        case .certificateCount: "certificate_count"
        case .chain: "chain_untrusted"
        case .validity: "chain_expired"
        case .leafMarker: "marker_missing_leaf"
        case .intermediateMarker: "marker_missing_intermediate"
        case .signature: "signature_invalid"
        case .claimType: "claim_malformed"
        case .bundleId: "bundle_mismatch"
        case .appAppleId: "app_apple_id_mismatch"
        case .environment: "environment_mismatch"
        case .signingTime: "from_the_future"
        case .nested: "nested_mismatch"
        }
    }
}

@Suite("Order of checks")
struct CheckOrderTests {
    /// Every pair of defects that one notification can have.
    static let pairs: [(Defect, Defect)] = Defect.allCases.flatMap { first in
        Defect.allCases.filter { second in
            second.rawValue > first.rawValue && !(first == .localEnvironment && second == .environment)
        }.map { (first, $0) }
    }

    @Test(arguments: Defect.allCases)
    func `each defect is found`(defect: Defect) async throws {
        let (bytes, trust) = try Self.notification(with: [defect])
        #expect(await SignedDataVerifier(trust: trust).verify(bytes).refusal?.code.rawValue == defect.code)
    }

    @Test(arguments: pairs)
    func `of two defects the one looked for first is reported`(first: Defect, second: Defect) async throws {
        let (bytes, trust) = try Self.notification(with: [first, second])
        #expect(await SignedDataVerifier(trust: trust).verify(bytes).refusal?.code.rawValue == first.code)
    }

    @Test func `a notification without defect is accepted`() async throws {
        let (bytes, trust) = try Self.notification(with: [])
        _ = try await SignedDataVerifier(trust: trust).verify(bytes).get()
    }

    private static func notification(with defects: Set<Defect>) throws -> (bytes: [UInt8], trust: TrustPolicy) {
        var plan = SigningPlan()
        if defects.contains(.validity) { plan.leafValidity = .past }
        plan.marksLeaf = !defects.contains(.leafMarker)
        plan.marksIntermediate = !defects.contains(.intermediateMarker)
        let authority = try SigningAuthority.mint(plan)
        var trust = TrustPolicy.trusting(authority)
        if defects.contains(.chain) {
            trust.configuredRoots = [.of(.standard)]
        } else {
            trust.configuredRoots.append(.of(.standard))
        }

        var (changes, data) = (Sample.Changes(), Sample.Changes())
        if defects.contains(.localEnvironment) { data["environment"] = .string("Xcode") }
        if defects.contains(.claimType) { data["status"] = .string("1") }
        if defects.contains(.bundleId) { data["bundleId"] = .string("com.example.other") }
        if defects.contains(.appAppleId) { data["appAppleId"] = .integer(1) }
        if defects.contains(.environment) { data["environment"] = .string("Mars") }
        if defects.contains(.signingTime) { changes["signedDate"] = .integer(Sample.now.milliseconds + 86_400_001) }
        let renewalInfo = Sample.renewalInfo(defects.contains(.nested) ? ["originalTransactionId": .string("1")] : [:])
        let payload = Sample.notification(changes, data: data, renewalInfo: renewalInfo)

        let signer = JWSSigner(authority)
        var header = signer.header
        if defects.contains(.algorithm) { header.alg = "HS256" }
        if defects.contains(.certificateCount) { header.x5c?.append(authority.rootCertificate) }
        var jws = signer.sign(payload, header: header)
        if defects.contains(.signature) { jws = jws.forged }
        return (defects.contains(.form) ? jws.withSpareBits : jws.compact, trust)
    }
}

import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives
import Testing

/// An input that must be refused, with the expected code.
struct BadInput: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    let part: String?
    let kind: ArtifactKind?
    let make: @Sendable () throws -> (bytes: [UInt8], trust: TrustPolicy)

    init(
        _ what: String, _ code: String, part: String? = nil, kind: ArtifactKind? = nil, trust: TrustPolicy = .sample,
        _ bytes: @escaping @Sendable () throws -> [UInt8]
    ) {
        self.init(what, code, part: part, kind: kind, making: { (try bytes(), trust) })
    }

    init(
        _ what: String, _ code: String, part: String? = nil, kind: ArtifactKind? = nil,
        making make: @escaping @Sendable () throws -> (bytes: [UInt8], trust: TrustPolicy)
    ) {
        testDescription = what
        self.code = code
        self.part = part
        self.kind = kind
        self.make = make
    }

    /// A payload with a correct signature.
    static func signed(
        _ what: String, _ code: String, part: String? = nil, kind: ArtifactKind? = nil, trust: TrustPolicy = .sample,
        _ payload: @escaping @autoclosure @Sendable () -> JSONValue
    ) -> BadInput {
        BadInput(what, code, part: part, kind: kind, trust: trust) { Sample.signer.sign(payload()).compact }
    }

    /// Correctly signed bytes in place of a payload.
    static func signed(
        _ what: String, _ code: String, bytes: @escaping @autoclosure @Sendable () -> [UInt8]
    ) -> BadInput {
        BadInput(what, code) { Sample.signer.sign(bytes()).compact }
    }

    /// A good payload under another header.
    static func header(
        _ what: String, _ code: String, _ change: @escaping @Sendable (inout JWSHeader) -> Void
    ) -> BadInput {
        BadInput(what, code) {
            var header = Sample.signer.header
            change(&header)
            return Sample.signer.sign(Sample.transaction(), header: header).compact
        }
    }

    /// A good payload whose compact form was changed afterwards.
    static func text(_ what: String, _ code: String, _ change: @escaping @Sendable (String) -> String) -> BadInput {
        BadInput(what, code) { Array(change(Sample.signer.sign(Sample.transaction()).text).utf8) }
    }

    /// A good payload under a defective chain whose root is trusted.
    static func chain(
        _ what: String, _ code: String, _ change: @escaping @Sendable (inout SigningPlan) -> Void
    ) -> BadInput {
        BadInput(what, code) {
            var plan = SigningPlan()
            change(&plan)
            let authority = try SigningAuthority.mint(plan)
            return (JWSSigner(authority).sign(Sample.transaction()).compact, .trusting(authority))
        }
    }

    /// A good payload with another signature.
    static func signature(
        _ what: String, _ code: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> BadInput {
        BadInput(what, code) {
            let jws = Sample.signer.sign(Sample.transaction())
            return jws.with(signature: change(jws.signature)).compact
        }
    }
}

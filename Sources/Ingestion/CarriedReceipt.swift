import AppStoreModel
import AppStoreVerification
import LedgerModel
import Primitives

/// The receipt inside an answer of verifyReceipt or a notification of version 1. It counts as if it had come alone.
enum CarriedReceipt {
    case none
    case verified(VerifiedReceipt)
    case refused(Refusal)

    var verified: VerifiedReceipt? {
        if case .verified(let receipt) = self { receipt } else { nil }
    }

    /// The members of the body of an event: the code of a refused receipt.
    var members: [JSONValue.Member] {
        guard case .refused(let refusal) = self else { return [] }
        return [.init("\(Self.refusedMember)", .string(refusal.code.rawValue))]
    }

    private static let refusedMember: StaticString = "refusedReceipt"

    /// Reads the receipt of a stored event; nil without one that was accepted.
    /// - Throws: the refusal of a receipt that cannot be read, which in a log is damage.
    static func stored(_ text: String?, _ body: JSONView) throws(Refusal) -> StoredArtifact? {
        guard let text, body[refusedMember] == nil else { return nil }
        return try StoredArtifact(Array(text.utf8), kind: .receipt)
    }
}

extension SignedDataVerifier {
    /// Verifies a receipt inside of something that is not signed.
    func carried(
        _ text: String?, for bundleId: String, _ environment: Environment, now: Instant
    ) async -> CarriedReceipt {
        guard let text else { return .none }
        switch await verify(Array(text.utf8), as: .receipt, now: now) {
        case .success(.receipt(let receipt)):
            let content = receipt.receipt.payload
            guard content.bundleId == bundleId, content.environment == environment else {
                return .refused(
                    Refusal(
                        .nestedMismatch, "the receipt is of another app or environment",
                        expected: "\(bundleId), \(environment.rawValue)",
                        found: "\(content.bundleId ?? "none"), \(content.environment?.rawValue ?? "none")",
                        part: "latest_receipt"))
            }
            return .verified(receipt)
        case .success: return .none
        case .failure(let refusal): return .refused(refusal)
        }
    }
}

extension JSONValue.Member {
    /// The numbers of unreadable rows and of contradictory dates; nothing for zero.
    static func counts(unreadable: Int, contradictions: Int) -> [JSONValue.Member] {
        [("unreadable", unreadable), ("contradictions", contradictions)].filter { $0.1 > 0 }
            .map { JSONValue.Member($0.0, .integer(Int64($0.1))) }
    }
}

import AppStoreVerification
import LedgerAPI

extension RefusedRow {
    init(_ refusal: Refusal, index: Int?, part: String?) {
        self.init(
            index: index, part: refusal.part ?? part, code: refusal.code.rawValue, reason: refusal.reason,
            advice: Advice.on(refusal.code))
    }
}

/// The remedies for refusals.
enum Advice {
    static func on(_ code: RefusalCode) -> String {
        switch code {
        case .bundleMismatch, .appAppleIdMismatch, .environmentMismatch:
            "Post the artifact to the ledger of its app and environment, or configure them in this ledger."
        case .environmentRefused:
            "Test in the sandbox. Purchases made in Xcode are not accepted."
        case .fromTheFuture:
            "Post the artifact again later. Its signing time is ahead of the ledger's clock."
        case .kindUnknown:
            "Post Transaction.jwsRepresentation in signedTransactions and AppTransaction.jwsRepresentation in "
                + "signedAppTransaction."
        case .claimMissing, .claimMalformed, .nestedMismatch:
            "Request the transaction from the App Store again and post the new one."
        case .chainUntrusted, .chainExpired, .certificateDenied, .markerMissingLeaf, .markerMissingIntermediate,
            .signatureInvalid:
            "Do not grant access. The App Store signature could not be verified."
        default:
            "Post jwsRepresentation exactly as StoreKit returns it."
        }
    }

    static let useTheToken =
        "Use the appAccountToken of the purchase as the customer id, or post it once from a backend for this customer."
    static let signIn = "Sign in as the customer who owns the purchase."
    static let keep = "No action is required. The purchase stays with this customer."
    static let transfer =
        "Decide who owns it with `subledger customer transfer ID --subscription ORIGINAL_TRANSACTION_ID`."
}

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
            "Post it to the ledger of its app and environment, or configure them in this ledger."
        case .environmentRefused:
            "Purchases made in Xcode are not accepted; test in the sandbox."
        case .fromTheFuture:
            "It is signed ahead of the ledger's clock; post it again later."
        case .kindUnknown:
            "Post Transaction.jwsRepresentation in signedTransactions, AppTransaction.jwsRepresentation in "
                + "signedAppTransaction."
        case .claimMissing, .claimMalformed, .nestedMismatch:
            "Ask the App Store for the transaction again, and post the new one."
        case .chainUntrusted, .chainExpired, .certificateDenied, .markerMissingLeaf, .markerMissingIntermediate,
            .signatureInvalid:
            "The App Store did not sign this; do not grant access for it."
        default:
            "Post jwsRepresentation unchanged, as StoreKit returns it."
        }
    }

    static let useTheToken =
        "Use the appAccountToken of the purchase as the customer id, or have a backend post it once for this customer."
    static let signIn = "Sign in as the customer it belongs to."
    static let keep = "Do nothing: the purchase stays with this customer."
    static let transfer =
        "Decide who owns it with `subledger customer transfer ID --subscription ORIGINAL_TRANSACTION_ID`."
}

import AppStoreModel
import AppStoreVerification
import CMS
import EventLog
import Ingestion
import LedgerModel
import LedgerStorage
import Primitives

/// Something that Apple signed, in the evidence of an event or as the whole of it.
struct SignedPart {
    let bytes: [UInt8]
    let kind: ArtifactKind
    /// Where it is in the evidence; nil for the whole.
    let path: String?

    /// The certificates that come with a signature, the signer's first, and the instant at which they count.
    struct Chain: Hashable {
        let certificates: [[UInt8]]
        let at: Instant
        /// Whether the signature is that of a receipt, the only part in CMS.
        let isReceipt: Bool
    }

    /// Returns the signed parts of an event. Those that were refused when it was recorded count for nothing.
    /// - Parameter isPage: whether the evidence is a page without the parts that concern others.
    /// - Throws: `log_corrupt` for evidence that cannot be read.
    static func parts(of record: Record, _ evidence: [UInt8], isPage: Bool) throws -> [SignedPart] {
        if let kind = ArtifactKind(record.artifact) { return [SignedPart(bytes: evidence, kind: kind, path: nil)] }
        if let stored = try AnswerEvents.stored(record, evidence, withoutRefused: isPage) {
            return zip(stored.answer.parts, stored.parts).compactMap { part, artifact in
                artifact.map { _ in SignedPart(bytes: part.text, kind: part.kind, path: part.path) }
            }
        }
        let receipt =
            try VerifyReceiptEvents.stored(record, evidence)?.acceptedReceipt
            ?? NotificationV1Events.stored(record, evidence)?.acceptedReceipt
        return receipt.map { [SignedPart(bytes: $0, kind: .receipt, path: "latest_receipt")] } ?? []
    }

    /// The chains of its signature and of those nested in it.
    var chains: [Chain] {
        guard kind != .receipt else { return receiptChain.map { [$0] } ?? [] }
        guard let jws = try? JWS(parsing: bytes) else { return [] }
        let claims = jws.payload.root
        let nested = [
            claims["data"]?["signedTransactionInfo"], claims["data"]?["signedRenewalInfo"],
            claims["appData"]?["signedAppTransactionInfo"],
        ].compactMap { $0?.string }
        return ([jws] + nested.compactMap { try? JWS(parsing: Array($0.utf8)) }).compactMap(Self.chain)
    }

    private static func chain(of jws: JWS) -> Chain? {
        let header = jws.header.withUnsafeBytes(Base64URL.decode).flatMap { try? JSONDocument(parsing: $0).root }
        let certificates = (header?["x5c"]?.elements ?? []).compactMap { $0.string.flatMap(Base64.decode) }
        let claims = jws.payload.root
        let time = (claims["signedDate"] ?? claims["receiptCreationDate"])?.double ?? 0
        guard !certificates.isEmpty, abs(time) < 1e15 else { return nil }
        return Chain(
            certificates: certificates, at: Instant(milliseconds: Int64(time.rounded())), isReceipt: false)
    }

    private var receiptChain: Chain? {
        var container = bytes
        if path != nil { container = Base64.decode(String(decoding: bytes, as: UTF8.self)) ?? bytes }
        guard let message = try? SignedMessage(parsing: container),
            case .app(let receipt)? = try? ReceiptContent(container), let at = receipt.receiptCreationDate
        else { return nil }
        let signer = try? message.signers().first?.certificate
        let others = message.embeddedCertificates.filter { $0 != signer }
        return Chain(certificates: (signer.map { [$0] } ?? []) + others, at: at, isReceipt: true)
    }
}

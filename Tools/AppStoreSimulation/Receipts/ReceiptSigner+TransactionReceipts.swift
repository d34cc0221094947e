import Crypto
import CryptoExtras
import Primitives

/// The signature of transaction receipts: a version, an RSA signature of the version and the purchase with SHA-1, and
/// the certificate.
extension ReceiptSigner {
    private static let version: UInt8 = 3

    /// Returns a receipt as a property list.
    package func sign(_ receipt: IssuedTransactionReceipt) throws -> [UInt8] {
        let info = receipt.purchaseInfo.bytes
        let signed = SHA1.hash(data: [Self.version] + info)
        let signature = try leafKey.signature(for: signed, padding: .insecurePKCS1v1_5)
        var list = PropertyList()
        list.add("signature", Base64.encode([Self.version] + Array(signature.rawRepresentation) + certificatePart))
        list.add("purchase-info", Base64.encode(info))
        if receipt.namesSandbox { list.add("environment", "Sandbox") }
        list.add("pod", "100")
        list.add("signing-status", "0")
        return list.bytes
    }

    /// Returns a receipt that this signer has signed.
    package func openTransactionReceipt(_ bytes: [UInt8]) throws(ReceiptRejection) -> IssuedTransactionReceipt {
        guard let list = PropertyList(bytes), let signature = list["signature"].flatMap({ Base64.decode($0) }),
            let info = list["purchase-info"].flatMap({ Base64.decode($0) })
        else { throw .malformed }
        guard isOwn(signature, ofPurchase: info) else { throw .unauthenticated }
        guard let purchaseInfo = PropertyList(info) else { throw .malformed }
        return IssuedTransactionReceipt(
            purchaseInfo: purchaseInfo, namesSandbox: list["environment"] == "Sandbox")
    }

    private func isOwn(_ blob: [UInt8], ofPurchase info: [UInt8]) -> Bool {
        let certificate = certificatePart
        guard blob.first == Self.version, blob.count > certificate.count, blob.suffix(certificate.count) == certificate
        else { return false }
        let signature = _RSA.Signing.RSASignature(
            rawRepresentation: Array(blob.dropFirst().dropLast(certificate.count)))
        return leafPublicKey.isValidSignature(
            signature, for: SHA1.hash(data: [Self.version] + info), padding: .insecurePKCS1v1_5)
    }

    /// The certificate of the key after its length in four bytes, the highest first.
    private var certificatePart: [UInt8] {
        withUnsafeBytes(of: UInt32(certificates[0].count).bigEndian) { Array($0) } + certificates[0]
    }

    private typealias SHA1 = Insecure.SHA1
}

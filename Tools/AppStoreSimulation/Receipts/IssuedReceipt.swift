package import AppStoreModel
import Crypto
import CryptoExtras
import SwiftASN1

/// The reason why the App Store does not take a receipt for its own.
package enum ReceiptRejection: Error, Sendable {
    case malformed
    /// Not signed by this store.
    case unauthenticated
}

extension ReceiptSigner {
    /// Returns the content of a receipt that this signer has signed.
    ///
    /// It reads its own form only: DER, one signer, SHA-256, no signed attributes.
    package func open(_ container: [UInt8]) throws(ReceiptRejection) -> AppReceipt {
        let (content, signature) = try Self.parts(of: container)
        guard isOwn(signature, of: content) else { throw .unauthenticated }
        do {
            return try AppReceipt(content)
        } catch {
            throw .malformed
        }
    }

    private func isOwn(_ signature: [UInt8], of content: [UInt8]) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return leafPublicKey.isValidSignature(
            signature, for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5)
    }

    /// Returns the octets of the content and of the signature.
    private static func parts(of container: [UInt8]) throws(ReceiptRejection) -> (content: [UInt8], signature: [UInt8])
    {
        do {
            let signedData = try DER.parse(container).elements.last?.elements.first?.elements ?? []
            guard signedData.count == 5, let content = signedData[2].elements.last?.elements.first?.octets,
                let signature = signedData[4].elements.first?.elements.last?.octets
            else { throw ReceiptRejection.malformed }
            return (content, signature)
        } catch {
            throw .malformed
        }
    }
}

extension AppReceipt {
    /// Reads the content of a receipt: a set of attributes.
    fileprivate init(_ content: [UInt8]) throws {
        var attributes: [ReceiptAttribute] = []
        var purchases: [[ReceiptAttribute]] = []
        for element in try DER.parse(content).elements {
            let attribute = try ReceiptAttribute(element)
            if attribute.type == .inApp, case .octets(let octets) = attribute.value {
                purchases.append(try DER.parse(octets).elements.map { try ReceiptAttribute($0) })
            } else {
                attributes.append(attribute)
            }
        }
        self.init(attributes: attributes, inApp: purchases)
    }
}

extension ReceiptAttribute {
    /// Reads `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`.
    fileprivate init(_ node: ASN1Node) throws {
        let parts = node.elements
        guard parts.count == 3, let octets = parts[2].octets else { throw ReceiptRejection.malformed }
        let type = ReceiptAttributeType(rawValue: try Int64(derEncoded: parts[0]))
        let version = try Int64(derEncoded: parts[1])
        self.init(type: type, version: version, value: try Self.value(octets, of: type))
    }

    private static func value(_ octets: [UInt8], of type: ReceiptAttributeType) throws -> Value {
        if type.isRaw || type == .inApp { return .octets(octets) }
        let node = try DER.parse(octets)
        switch node.identifier {
        case .integer: return .integer(try Int64(derEncoded: node))
        case .utf8String, .ia5String: return .text(String(decoding: node.octets ?? [], as: UTF8.self))
        default: return .octets(octets)
        }
    }
}

extension ASN1Node {
    /// The nodes of a constructed one; none of a primitive one.
    fileprivate var elements: [ASN1Node] {
        if case .constructed(let nodes) = content { Array(nodes) } else { [] }
    }

    /// The octets of a primitive one; nil of a constructed one.
    fileprivate var octets: [UInt8]? {
        if case .primitive(let octets) = content { Array(octets) } else { nil }
    }
}

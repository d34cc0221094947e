package import AppStoreModel
import Primitives

extension AppReceipt {
    /// Creates a receipt to be signed.
    package init(attributes: [ReceiptAttribute], inApp: [[ReceiptAttribute]] = []) {
        self.init(attributes: attributes, inApp: inApp, bundleIdOctets: [])
    }

    /// The octets that Apple signs: a set of attributes.
    package var content: [UInt8] {
        let purchases = inApp.map { purchase in
            Self.attribute(.inApp, 1, DERWriter.element(DERWriter.set, purchase.map(Self.attribute)))
        }
        return DERWriter.element(DERWriter.set, attributes.map(Self.attribute) + purchases)
    }

    private static func attribute(_ attribute: ReceiptAttribute) -> [UInt8] {
        self.attribute(attribute.type, attribute.version, attribute.octets)
    }

    private static func attribute(_ type: ReceiptAttributeType, _ version: Int64, _ value: [UInt8]) -> [UInt8] {
        DERWriter.element(
            DERWriter.sequence, DERWriter.integer(type.rawValue), DERWriter.integer(version),
            DERWriter.element(DERWriter.octetString, value))
    }
}

extension ReceiptAttribute {
    package init(_ type: ReceiptAttributeType, _ value: Value) {
        self.init(type: type, version: 1, value: value)
    }

    /// The octets of the value with its tag and length, unless they are raw.
    package var octets: [UInt8] {
        switch value {
        case .octets(let octets): octets
        case .integer(let integer): DERWriter.integer(integer)
        case .text(let text):
            DERWriter.element(type.isDate ? DERWriter.ia5String : DERWriter.utf8String, Array(text.utf8))
        }
    }
}

extension ReceiptAttributeType {
    fileprivate var isDate: Bool { Self.dates.contains(rawValue) }

    private static let dates: Set<Int64> = [8, 12, 18, 21, 1_704, 1_706, 1_708, 1_712]
}

package import AppStoreModel

extension AppReceipt {
    /// The maximum number of purchases. The largest receipt seen has fewer than a thousand.
    package static let purchaseLimit = 100_000

    /// Reads the content of a receipt: `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`. Xcode
    /// wraps it in one more OCTET STRING.
    /// - Throws: `asn1_malformed`, `asn1_limit`.
    package init(asn1 content: [UInt8]) throws(Refusal) {
        do throws(BERError) {
            var reader = BERReader(content[...])
            guard var set = try reader.next(), reader.isAtEnd else { throw .malformed }
            if set.type == BERReader.Element.octetString {
                reader = BERReader(try set.octets)
                guard let wrapped = try reader.next(), reader.isAtEnd else { throw .malformed }
                set = wrapped
            }
            var (attributes, inApp, bundleIdOctets) = ([ReceiptAttribute](), [[ReceiptAttribute]](), [UInt8]())
            var elements = try Self.elements(of: set)
            while let element = try elements.next() {
                let (type, version, value) = try Self.attribute(element)
                if type == .inApp {
                    guard inApp.count < Self.purchaseLimit else { throw .tooDeep }
                    inApp.append(try Self.purchase(value))
                } else {
                    if type == .bundleId, bundleIdOctets.isEmpty { bundleIdOctets = Array(value) }
                    attributes.append(
                        ReceiptAttribute(type: type, version: version, value: Self.value(value, of: type)))
                }
            }
            self.init(attributes: attributes, inApp: inApp, bundleIdOctets: bundleIdOctets)
        } catch {
            throw Refusal(error)
        }
    }

    private static func purchase(_ value: ArraySlice<UInt8>) throws(BERError) -> [ReceiptAttribute] {
        var reader = BERReader(value)
        guard let set = try reader.next() else { throw .malformed }
        var (attributes, elements) = ([ReceiptAttribute](), try elements(of: set))
        while let element = try elements.next() {
            let (type, version, value) = try attribute(element)
            attributes.append(ReceiptAttribute(type: type, version: version, value: self.value(value, of: type)))
        }
        return attributes
    }

    private static func elements(of set: BERReader.Element) throws(BERError) -> BERReader {
        guard set.tag == BERReader.Element.set else { throw .malformed }
        return set.elements
    }

    private static func attribute(
        _ element: BERReader.Element
    ) throws(BERError) -> (ReceiptAttributeType, version: Int64, value: ArraySlice<UInt8>) {
        guard element.tag == BERReader.Element.sequence else { throw .malformed }
        var fields = element.elements
        guard let type = try fields.next()?.integer, let version = try fields.next()?.integer,
            let value = try fields.next(), value.type == BERReader.Element.octetString
        else { throw .malformed }
        return (ReceiptAttributeType(rawValue: type), version, try value.octets)
    }

    /// Reads the element in the octets of an attribute. An attribute that Apple adds may have any octets.
    private static func value(_ octets: ArraySlice<UInt8>, of type: ReceiptAttributeType) -> ReceiptAttribute.Value {
        var reader = BERReader(octets)
        guard !type.isRaw, let element = try? reader.next(), reader.isAtEnd else { return .octets(Array(octets)) }
        if let integer = element.integer { return .integer(integer) }
        switch element.type {
        case BERReader.Element.utf8String, BERReader.Element.ia5String, BERReader.Element.printableString:
            if let octets = try? element.octets, let text = String(validating: octets, as: UTF8.self) {
                return .text(text)
            }
        default: break
        }
        return .octets(Array(octets))
    }
}

extension Refusal {
    fileprivate init(_ error: BERError) {
        switch error {
        case .malformed:
            self.init(
                .asn1Malformed, "the content of the receipt cannot be read", expected: "a set of attributes in BER",
                found: "other bytes")
        case .tooDeep:
            self.init(
                .asn1Limit, "the content of the receipt is too large",
                expected: "at most \(BERReader.depthLimit) levels and \(AppReceipt.purchaseLimit) purchases",
                found: "more")
        }
    }
}

import AppStoreModel
import Glibc
package import Primitives

/// A JWS in compact form, split and decoded but not verified: RFC 7515 §3.1, canonical unpadded base64url only.
package struct JWS: Sendable {
    /// Larger ones are refused. Apple's notifications are below 20 KB.
    package static let byteLimit = 256 * 1_024

    /// The ASCII text without surrounding white space.
    package let text: [UInt8]
    /// The positions of the two dots.
    package let headerEnd: Int
    package let payloadEnd: Int
    /// The decoded payload.
    package let payload: JSONDocument
    /// The decoded signature, of any length.
    package let signature: [UInt8]

    /// - Throws: `jws_malformed`, `payload_too_large`, or the code for a payload that is not an accepted JSON object.
    package init(parsing input: [UInt8]) throws(Refusal) {
        let text = Self.trimmed(input)
        guard text.count <= Self.byteLimit else {
            throw Refusal(
                .payloadTooLarge, "the JWS is too large", expected: "at most \(Self.byteLimit) bytes",
                found: "\(text.count) bytes")
        }
        let dot = UInt8(ascii: ".")
        guard let headerEnd = Self.firstIndex(of: dot, in: text), let payloadEnd = text.lastIndex(of: dot),
            headerEnd < payloadEnd
        else {
            throw Self.malformed(
                expected: "three segments",
                found: text.isEmpty ? "nothing" : text.contains(dot) ? "two segments" : "one segment")
        }
        self.text = text
        self.headerEnd = headerEnd
        self.payloadEnd = payloadEnd
        let payloadBytes = try Self.decode(text, headerEnd + 1..<payloadEnd, "payload")
        signature = try Self.decode(text, payloadEnd + 1..<text.count, "signature")
        payload = try Self.parse(payloadBytes)
    }

    package var header: ArraySlice<UInt8> { text[..<headerEnd] }

    /// Returns the decoded header, parsed as strictly as the payload.
    func decodedHeader() throws(Refusal) -> JSONView {
        let bytes = try Self.decode(text, 0..<headerEnd, "header")
        guard let header = try? JSONDocument(parsing: bytes).root, header.isObject else {
            throw Self.malformed(expected: "a JSON object as the header", found: "an invalid header")
        }
        return header
    }

    /// Uses memchr, which pays off for a header of about 4 KB.
    private static func firstIndex(of byte: UInt8, in text: [UInt8]) -> Int? {
        text.withUnsafeBytes { text in
            guard let start = text.baseAddress, let found = memchr(start, Int32(byte), text.count) else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    private static func trimmed(_ input: [UInt8]) -> [UInt8] {
        func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = input.first, let last = input.last, isWhiteSpace(first) || isWhiteSpace(last) else {
            return input
        }
        guard let start = input.firstIndex(where: { !isWhiteSpace($0) }),
            let end = input.lastIndex(where: { !isWhiteSpace($0) })
        else { return [] }
        return Array(input[start...end])
    }

    private static func decode(_ text: [UInt8], _ range: Range<Int>, _ segment: String) throws(Refusal) -> [UInt8] {
        let bytes = text.withUnsafeBytes { Base64URL.decode(UnsafeRawBufferPointer(rebasing: $0[range])) }
        guard let bytes else {
            throw malformed(expected: "canonical unpadded base64url", found: "an invalid encoding in the \(segment)")
        }
        return bytes
    }

    private static func parse(_ bytes: [UInt8]) throws(Refusal) -> JSONDocument {
        do throws(JSONError) {
            let document = try JSONDocument(parsing: bytes)
            guard document.root.isObject else {
                throw JSONError.malformed(offset: 0, expected: "an object")
            }
            return document
        } catch {
            throw Refusal(json: error)
        }
    }

    private static func malformed(expected: String, found: String) -> Refusal {
        Refusal(.jwsMalformed, "not a compact JWS", expected: expected, found: found)
    }
}

extension Refusal {
    /// Creates the refusal of a text that is not accepted as JSON.
    package init(json error: JSONError) {
        let code: RefusalCode =
            switch error {
            case .notUTF8: .notUTF8
            case .malformed: .payloadNotJSON
            case .duplicateKey: .payloadDuplicateKey
            case .tooDeep: .payloadTooDeep
            case .tooLarge: .payloadTooLarge
            }
        self.init(code, "invalid JSON", found: "\(error)")
    }

    init(payload error: PayloadError) {
        switch error {
        case .notAnObject:
            self.init(.payloadNotJSON, "the payload is not a JSON object")
        case .claimMalformed(let claim, let expected, let found):
            self.init(
                .claimMalformed, "the claim \(claim) has the wrong JSON type", expected: expected.rawValue,
                found: found.rawValue)
        case .dateOutOfRange(let field, let found):
            self.init(
                .dateOutOfRange, "\(field) is not a valid date", expected: "milliseconds within the years 0000 to 9999",
                found: found)
        }
    }
}

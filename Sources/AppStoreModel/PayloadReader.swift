import Primitives

/// Why a well-formed JSON object is no payload of Apple's.
package enum PayloadError: Error, Hashable, Sendable {
    /// The payload is JSON, but not an object.
    case notAnObject
    /// A date that is no instant of the years 0000 to 9999.
    case dateOutOfRange(field: String, found: String)
}

/// Reads the fields of one signed object. A field of an unexpected JSON type counts as absent: every field of
/// Apple's is optional to us, and what was not understood survives in the payload.
struct PayloadReader {
    let payload: JSONView

    init(_ payload: JSONView) throws(PayloadError) {
        guard payload.isObject else { throw .notAnObject }
        self.payload = payload
    }

    func string(_ field: StaticString) -> String? { payload[field]?.string }
    func integer(_ field: StaticString) -> Int64? { payload[field]?.integer }
    func bool(_ field: StaticString) -> Bool? { payload[field]?.bool }
    func strings(_ field: StaticString) -> [String]? { payload[field]?.elements?.compactMap(\.string) }

    func vocabulary<Value: OpenVocabulary>(_ field: StaticString) -> Value? {
        string(field).map(Value.init(rawValue:))
    }

    func vocabulary<Value: OpenNumericVocabulary>(_ field: StaticString) -> Value? {
        integer(field).map(Value.init(rawValue:))
    }

    /// Milliseconds since 1970, rounded to the nearest: Xcode signs fractions, and years before 1970.
    func date(_ field: StaticString) throws(PayloadError) -> Instant? {
        guard let value = payload[field], let text = value.numberText else { return nil }
        let milliseconds: Int64
        if let integer = value.integer {
            milliseconds = integer
        } else if let number = value.double?.rounded(), let integer = Int64(exactly: number) {
            milliseconds = integer
        } else {
            throw .dateOutOfRange(field: field.description, found: text)
        }
        let instant = Instant(milliseconds: milliseconds)
        guard instant >= .earliest, instant <= .latest else {
            throw .dateOutOfRange(field: field.description, found: text)
        }
        return instant
    }

    func object<Value>(
        _ field: StaticString, _ decode: (JSONView) throws(PayloadError) -> Value
    ) throws(PayloadError) -> Value? {
        guard let value = payload[field], value.isObject else { return nil }
        return try decode(value)
    }

    func objects<Value>(
        _ field: StaticString, _ decode: (JSONView) throws(PayloadError) -> Value
    ) throws(PayloadError) -> [Value]? {
        guard let elements = payload[field]?.elements else { return nil }
        var values: [Value] = []
        for element in elements where element.isObject { values.append(try decode(element)) }
        return values
    }
}

extension JSONView {
    /// A nested JWS: the ASCII text of a string field, kept as the bytes the signature covers.
    func jws(_ field: StaticString) -> [UInt8]? {
        guard let value = self[field] else { return nil }
        if let range = value.plainStringRange { return Array(document.bytes[range]) }
        return value.string.map { Array($0.utf8) }
    }
}

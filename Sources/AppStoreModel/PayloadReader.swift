package import Primitives

/// The reason that well-formed JSON is not a payload of Apple's.
package enum PayloadError: Error, Hashable, Sendable {
    /// The payload is JSON, but not an object.
    case notAnObject
    /// A known claim has a JSON type that it cannot have. For an element of a list, `claim` includes the index.
    case claimMalformed(claim: String, expected: JSONType, found: JSONType)
    /// A date outside the years 0000 to 9999.
    case dateOutOfRange(field: String, found: String)
}

/// The treatment of known claims of the wrong JSON type.
package enum MistypedClaims: Sendable {
    /// The payload is refused.
    case refused
    /// The claim counts as absent, for evidence that the log accepted before types were checked.
    case absent
}

/// The words of an unverified payload. Words that are new to the process count as absent, because interned values are
/// never freed; the payload is read again once it is verified.
package final class UnverifiedWords {
    package private(set) var containNew = false

    package init() {
        // The environment decides checks before the signature is verified, so its words are never new.
        _ = Environment.known
    }

    fileprivate func value<Value: OpenVocabulary>(_ word: String) -> Value? {
        guard let value = Value(existing: word) else {
            containNew = true
            return nil
        }
        return value
    }
}

/// Reads the claims of one signed object. Every claim is optional, and null counts as absent.
///
/// A claim must have the JSON type that Apple documents; Apple's Swift and Node libraries read no other. Apple's Python
/// library converts instead (`true` to 1, an object to its text). A converted claim is not the signed one, so it counts
/// as unreadable here. Where the libraries differ within one type, nothing is refused: an integer with a fraction is
/// absent. Empty strings and values that Apple adds to an enumeration are read.
struct PayloadReader {
    let payload: JSONView
    private let mistyped: MistypedClaims
    private let unverified: UnverifiedWords?

    init(
        _ payload: JSONView, mistyped: MistypedClaims, unverified: UnverifiedWords?
    ) throws(PayloadError) {
        guard payload.isObject else { throw .notAnObject }
        self.payload = payload
        self.mistyped = mistyped
        self.unverified = unverified
    }

    func string(_ claim: StaticString) throws(PayloadError) -> String? {
        try value(claim, .string)?.string
    }

    func integer(_ claim: StaticString) throws(PayloadError) -> Int64? {
        try value(claim, .number)?.integer
    }

    func bool(_ claim: StaticString) throws(PayloadError) -> Bool? {
        try value(claim, .boolean)?.bool
    }

    func vocabulary<Value: OpenVocabulary>(_ claim: StaticString) throws(PayloadError) -> Value? {
        guard let word = try string(claim) else { return nil }
        return unverified.map { $0.value(word) } ?? Value(rawValue: word)
    }

    func vocabulary<Value: OpenNumericVocabulary>(_ claim: StaticString) throws(PayloadError) -> Value? {
        try integer(claim).map(Value.init(rawValue:))
    }

    /// Reads milliseconds since 1970, rounded to the nearest. Xcode signs fractions, and dates before 1970.
    func date(_ claim: StaticString) throws(PayloadError) -> Instant? {
        guard let value = try value(claim, .number), let text = value.numberText else { return nil }
        let milliseconds: Int64
        if let integer = value.integer {
            milliseconds = integer
        } else if let number = value.double?.rounded(), let integer = Int64(exactly: number) {
            milliseconds = integer
        } else {
            throw .dateOutOfRange(field: claim.description, found: text)
        }
        let instant = Instant(milliseconds: milliseconds)
        guard instant >= .earliest, instant <= .latest else {
            throw .dateOutOfRange(field: claim.description, found: text)
        }
        return instant
    }

    /// Reads a nested JWS: the ASCII bytes of a string, which the signature covers.
    func jws(_ claim: StaticString) throws(PayloadError) -> [UInt8]? {
        guard let value = try value(claim, .string) else { return nil }
        if let range = value.plainStringRange { return Array(payload.document.bytes[range]) }
        return value.string.map { Array($0.utf8) }
    }

    func strings(_ claim: StaticString) throws(PayloadError) -> [String]? {
        try elements(claim, .string)?.compactMap(\.string)
    }

    func object<Value>(
        _ claim: StaticString, _ read: (PayloadReader) throws(PayloadError) -> Value
    ) throws(PayloadError) -> Value? {
        guard let value = try value(claim, .object) else { return nil }
        return try read(try PayloadReader(value, mistyped: mistyped, unverified: unverified))
    }

    func objects<Value>(
        _ claim: StaticString, _ read: (PayloadReader) throws(PayloadError) -> Value
    ) throws(PayloadError) -> [Value]? {
        guard let elements = try elements(claim, .object) else { return nil }
        var values: [Value] = []
        for element in elements {
            values.append(try read(try PayloadReader(element, mistyped: mistyped, unverified: unverified)))
        }
        return values
    }
}

extension PayloadReader {
    private func value(_ claim: StaticString, _ type: JSONType) throws(PayloadError) -> JSONView? {
        guard let value = payload[claim] else { return nil }
        return try isOf(type, value, claim.description) ? value : nil
    }

    /// Returns the elements of the list `claim` that have the given type.
    private func elements(_ claim: StaticString, _ type: JSONType) throws(PayloadError) -> [JSONView]? {
        guard let elements = try value(claim, .array)?.elements else { return nil }
        var values: [JSONView] = []
        for (index, element) in elements.enumerated() where try isOf(type, element, "\(claim)[\(index)]") {
            values.append(element)
        }
        return values
    }

    private func isOf(
        _ type: JSONType, _ value: JSONView, _ claim: @autoclosure () -> String
    ) throws(PayloadError) -> Bool {
        let found = value.type
        if found == type { return true }
        guard found != .null, mistyped == .refused else { return false }
        throw .claimMalformed(claim: claim(), expected: type, found: found)
    }
}

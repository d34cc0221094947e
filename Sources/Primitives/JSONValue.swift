/// A JSON value to be written, for answers, record bodies and simulated payloads.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A finite number; any other is written as null.
    case double(Double)
    case string(String)
    case array([JSONValue])
    /// Members in the given order; keys must differ.
    case object([Member])
    /// A JSON text that is written unchanged, such as a signed payload.
    case verbatim([UInt8])

    package struct Member: Sendable, Hashable {
        package let key: String
        package let value: JSONValue

        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }
}

extension JSONValue {
    package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member($0.key, $0.value) })
    }

    package init(_ text: String?) { self = text.map { .string($0) } ?? .null }
    package init(_ flag: Bool?) { self = flag.map { .bool($0) } ?? .null }
    package init(_ instant: Instant?) { self = instant.map { .string($0.iso8601) } ?? .null }
    package init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }

    /// Creates a copy of a value that was read. Numbers keep their text.
    package init(_ view: JSONView) {
        switch view.type {
        case .null: self = .null
        case .boolean: self = JSONValue(view.bool)
        case .number: self = .verbatim(Array((view.numberText ?? "").utf8))
        case .string: self = JSONValue(view.string)
        case .array: self = .array((view.elements ?? []).map { JSONValue($0) })
        case .object: self = .object(view.members.map { Member($0.key, JSONValue($0.value)) })
        }
    }

    /// Returns the JSON text in one line, with the members in the given order.
    package func serialized() -> String {
        var output: [UInt8] = []
        write(to: &output, canonical: false)
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the form of RFC 8785 (JCS): members sorted by UTF-16 units, ECMAScript numbers. `verbatim` parts must
    /// already be canonical.
    package func canonical() -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, canonical: true)
        return output
    }

    package func write(to output: inout [UInt8], canonical: Bool) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let flag): output += (flag ? "true" : "false").utf8
        case .integer(let number): output += String(number).utf8
        case .double(let number): output += Self.text(of: number).utf8
        case .string(let text): JSONEscapes.encode(text, to: &output)
        case .verbatim(let bytes): output += bytes
        case .array(let elements):
            Self.write(elements, between: "[", and: "]", to: &output) { element, output in
                element.write(to: &output, canonical: canonical)
            }
        case .object(let members):
            let ordered = canonical ? members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) } : members
            Self.write(ordered, between: "{", and: "}", to: &output) { member, output in
                JSONEscapes.encode(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output, canonical: canonical)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between opening: Unicode.Scalar, and closing: Unicode.Scalar,
        to output: inout [UInt8], each: (Element, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: opening))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            each(element, &output)
        }
        output.append(UInt8(ascii: closing))
    }

    /// Formats as ECMA-262 Number::toString, which RFC 8785 §3.2.2.3 requires. Swift prints the same shortest digits in
    /// another layout.
    static func text(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        if number == 0 { return "0" }
        if let integer = Int64(exactly: number), integer.magnitude < 1 << 53 { return String(integer) }
        let sign = number < 0 ? "-" : ""
        let parts = "\(abs(number))".split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? String(mantissa[1]) : ""
        var digits = String(mantissa[0]) + fraction
        var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.hasPrefix("0") {
            digits.removeFirst()
            point -= 1
        }
        while digits.hasSuffix("0") { digits.removeLast() }
        return sign + layOut(digits: digits, point: point)
    }

    /// Returns `digits` with the decimal point after the first `point` digits.
    private static func layOut(digits: String, point: Int) -> String {
        let count = digits.count
        if count <= point, point <= 21 { return digits + String(repeating: "0", count: point - count) }
        if point > 0, point <= 21 { return "\(digits.prefix(point)).\(digits.dropFirst(point))" }
        if point > -6, point <= 0 { return "0." + String(repeating: "0", count: -point) + digits }
        let exponent = point - 1
        let tail = count == 1 ? "" : ".\(digits.dropFirst())"
        return "\(digits.prefix(1))\(tail)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
}

/// A value inside a `JSONDocument`.
///
/// Typed reads return nil when the value is of another type.
package struct JSONView: Sendable {
    package let document: JSONDocument
    let index: Int

    private var node: JSONNode { document.nodes[index] }

    package var isNull: Bool { node.kind == .null }
    package var isObject: Bool { node.kind == .object }

    package var type: JSONType {
        switch node.kind {
        case .null: .null
        case .true, .false: .boolean
        case .number: .number
        case .string, .escapedString: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The member `key` of an object; nil when it is absent or this is not an object.
    /// - Complexity: O(members).
    package subscript(key: StaticString) -> JSONView? {
        document.member(key, of: index).map(document.view)
    }

    /// The members of an object in their order; empty when this is not an object.
    package var members: [(key: String, value: JSONView)] {
        guard node.kind == .object else { return [] }
        var members: [(key: String, value: JSONView)] = []
        var member = index + 1
        while member < Int(node.next) {
            members.append((document.view(member).string ?? "", document.view(member + 1)))
            member = Int(document.nodes[member + 1].next)
        }
        return members
    }

    /// The elements of an array; nil when this is not an array.
    package var elements: [JSONView]? {
        guard node.kind == .array else { return nil }
        var elements: [JSONView] = []
        var element = index + 1
        while element < Int(node.next) {
            elements.append(document.view(element))
            element = Int(document.nodes[element].next)
        }
        return elements
    }

    package var string: String? {
        let text = document.bytes[byteRange]
        return switch node.kind {
        case .string: String(decoding: text, as: UTF8.self)
        case .escapedString: String(decoding: JSONEscapes.decode(text), as: UTF8.self)
        default: nil
        }
    }

    /// The range of the text of a string without escapes in the document's bytes.
    package var plainStringRange: Range<Int>? {
        node.kind == .string ? byteRange : nil
    }

    package var bool: Bool? {
        switch node.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The text of a number, as written.
    package var numberText: String? {
        node.kind == .number ? String(decoding: document.bytes[byteRange], as: UTF8.self) : nil
    }

    package var double: Double? {
        numberText.flatMap(Double.init)
    }

    /// A number without fraction or exponent that fits 64 bits.
    package var integer: Int64? {
        guard node.kind == .number else { return nil }
        var digits = document.bytes[byteRange]
        let negative = digits.first == UInt8(ascii: "-")
        if negative { digits = digits.dropFirst() }
        var value: Int64 = 0
        for digit in digits {
            guard digit >= 48, digit <= 57 else { return nil }
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowedAgain) = product.subtractingReportingOverflow(Int64(digit - 48))
            guard !overflowed, !overflowedAgain else { return nil }
            value = sum
        }
        if negative { return value }
        return value == .min ? nil : -value
    }

    /// The range of the value in the text, without the quotes of a string.
    package var byteRange: Range<Int> {
        Int(node.start)..<Int(node.end)
    }
}

/// The type of a JSON value (RFC 8259 §3), with its name as raw value.
package enum JSONType: String, Sendable {
    case null, boolean, number, string, array, object
}

extension JSONDocument {
    func view(_ index: Int) -> JSONView { JSONView(document: self, index: index) }

    fileprivate func member(_ key: StaticString, of object: Int) -> Int? {
        guard nodes[object].kind == .object else { return nil }
        let wanted = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        let end = Int(nodes[object].next)
        var member = object + 1
        while member < end {
            if isString(nodes[member], wanted) { return member + 1 }
            member = Int(nodes[member + 1].next)
        }
        return nil
    }

    private func isString(_ node: JSONNode, _ wanted: UnsafeRawBufferPointer) -> Bool {
        if node.kind == .string {
            guard Int(node.end &- node.start) == wanted.count else { return false }
            return bytes.withUnsafeBytes { bytes in
                equalBytes(UnsafeRawBufferPointer(rebasing: bytes[Int(node.start)..<Int(node.end)]), wanted)
            }
        }
        // Compares bytes, because String equality equates U+212A, the Kelvin sign, with K.
        return JSONEscapes.decode(bytes[Int(node.start)..<Int(node.end)]).elementsEqual(wanted)
    }
}

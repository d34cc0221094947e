/// A JSON text read strictly: valid UTF-8, RFC 8259 grammar, no duplicate keys, no unpaired surrogates, bounded depth.
///
/// Parsing makes a flat list of nodes that point into the bytes; strings and numbers are decoded only when asked for,
/// since of a signed payload's 10 KB most is nested JWS that is needed as bytes.
package final class JSONDocument: Sendable {
    /// Deeper nesting is refused; Apple's payloads stay below 8.
    package static let depthLimit = 32

    package let bytes: [UInt8]
    @usableFromInline let nodes: [JSONNode]

    /// - Throws: `JSONError`, the first one in reading order.
    /// - Complexity: O(n log n) in the worst case (objects of very many keys), O(n) otherwise.
    package init(parsing bytes: [UInt8], depthLimit: Int = JSONDocument.depthLimit) throws(JSONError) {
        self.bytes = bytes
        nodes = try JSONParser.parse(bytes, depthLimit: depthLimit)
    }

    package var root: JSONView { JSONView(document: self, index: 0) }
}

/// Why a text is not the JSON that this project accepts. Offsets count bytes from the start.
package enum JSONError: Error, Hashable, Sendable {
    case notUTF8(offset: Int)
    case malformed(offset: Int, expected: String)
    case duplicateKey(String)
    case tooDeep(limit: Int)
    /// Node offsets are 32 bits; far above every limit on input.
    case tooLarge
}

extension JSONError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notUTF8(let offset): "invalid UTF-8 at byte \(offset)"
        case .malformed(let offset, let expected): "not JSON at byte \(offset), where \(expected) was expected"
        case .duplicateKey(let key): "the key \"\(key)\" stands twice in one object"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooLarge: "larger than a JSON text may be"
        }
    }
}

/// One value: its bytes are `start ..< end`, and the node after all of its contents is `next`.
@usableFromInline
struct JSONNode: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable { case null, `true`, `false`, number, string, escapedString, array, object }

    @usableFromInline let kind: Kind
    /// For strings the bytes between the quotes.
    @usableFromInline let start: UInt32
    @usableFromInline var end: UInt32
    @usableFromInline var next: UInt32

    @usableFromInline
    init(kind: Kind, start: UInt32, end: UInt32, next: UInt32) {
        self.kind = kind
        self.start = start
        self.end = end
        self.next = next
    }
}

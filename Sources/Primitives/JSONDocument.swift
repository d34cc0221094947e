/// A JSON text read strictly: valid UTF-8, RFC 8259 grammar, no duplicate keys, no unpaired surrogates, bounded depth.
///
/// Parsing creates a flat list of nodes that point into the bytes. Strings and numbers are decoded only on request:
/// most of a signed payload's 10 KB is nested JWS, which is needed as bytes.
package final class JSONDocument: Sendable {
    /// Deeper nesting is refused; Apple's payloads stay below 8.
    package static let depthLimit = 32

    package let bytes: [UInt8]
    @usableFromInline let nodes: [JSONNode]

    /// - Throws: `JSONError`, the first one in reading order.
    /// - Complexity: O(n) on average; the keys of large objects are hashed to find duplicates.
    package init(parsing bytes: [UInt8], depthLimit: Int = JSONDocument.depthLimit) throws(JSONError) {
        self.bytes = bytes
        nodes = try JSONParser.parse(bytes, depthLimit: depthLimit)
    }

    package var root: JSONView { JSONView(document: self, index: 0) }
}

/// The reason that a text is not accepted as JSON. Offsets count bytes from the start.
package enum JSONError: Error, Hashable, Sendable {
    case notUTF8(offset: Int)
    case malformed(offset: Int, expected: String)
    case duplicateKey(String)
    case tooDeep(limit: Int)
    /// Node offsets have 32 bits, far above every limit on input.
    case tooLarge
}

extension JSONError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notUTF8(let offset): "invalid UTF-8 at byte \(offset)"
        case .malformed(let offset, let expected): "invalid JSON at byte \(offset), expected \(expected)"
        case .duplicateKey(let key): "the key \"\(key)\" occurs twice in one object"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooLarge: "JSON text is too large"
        }
    }
}

/// One value: its bytes are `start ..< end`, and `next` is the index of the node after its contents.
@usableFromInline
struct JSONNode: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable { case null, `true`, `false`, number, string, escapedString, array, object }

    @usableFromInline let kind: Kind
    /// For strings, `start ..< end` excludes the quotes.
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

/// Reads single elements of the small documents that S3 answers with.
enum XMLText {
    /// Whether bytes begin as a document does. White space comes first where S3 kept a connection open with it.
    static func isLikely(_ bytes: [UInt8]) -> Bool {
        bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
    }

    /// Returns the text of the first element with a name, with its entities resolved; nil without one.
    static func element(_ name: String, in document: [UInt8]) -> String? {
        let text = String(decoding: document, as: UTF8.self)
        guard let start = text.firstRange(of: "<\(name)>")?.upperBound,
            let end = text[start...].firstRange(of: "</\(name)>")?.lowerBound
        else { return nil }
        return entities.reduce(String(text[start..<end])) { $0.replacing($1.entity, with: $1.character) }
    }

    /// Returns a text as the content of an element.
    static func escaped(_ text: String) -> String {
        entities.reversed().reduce(text) { $0.replacing($1.character, with: $1.entity) }
    }

    /// The ampersand is last, so that what it is part of is not resolved twice.
    private static let entities = [
        (entity: "&lt;", character: "<"), (entity: "&gt;", character: ">"), (entity: "&quot;", character: "\""),
        (entity: "&apos;", character: "'"), (entity: "&amp;", character: "&"),
    ]
}

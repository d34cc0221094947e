import Primitives

/// The JSON object in the body of a request.
struct RequestBody: Sendable {
    private let root: JSONView

    /// - Throws: `invalidRequest` unless it is a JSON object.
    init(_ bytes: [UInt8]) throws(ServerAPIError) {
        guard let document = try? JSONDocument(parsing: bytes), document.root.isObject else { throw .invalidRequest }
        root = document.root
    }

    var json: JSONValue { JSONValue(root) }

    func text(_ key: StaticString) -> String? { root[key]?.string }
    func integer(_ key: StaticString) -> Int64? { root[key]?.integer }
    func flag(_ key: StaticString) -> Bool? { root[key]?.bool }
    func has(_ key: StaticString) -> Bool { root[key].map { !$0.isNull } ?? false }
    func texts(_ key: StaticString) -> [String]? { root[key]?.elements?.compactMap(\.string) }
}

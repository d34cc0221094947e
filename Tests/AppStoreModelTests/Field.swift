import AppStoreModel
import Primitives
import Testing

/// One row of a payload's table: the field's name, how it stands in JSON, and what must be read from it.
struct Field<Payload: Sendable>: Sendable, CustomTestStringConvertible {
    let name: String
    /// The JSON text of the value.
    let json: String
    let isReadFrom: @Sendable (Payload) -> Bool
    let isAbsentFrom: @Sendable (Payload) -> Bool

    var testDescription: String { name }

    init<Value: Equatable & Sendable>(
        _ name: String, _ json: String, _ path: any KeyPath<Payload, Value?> & Sendable, _ value: Value
    ) {
        self.name = name
        self.json = json
        isReadFrom = { $0[keyPath: path] == value }
        isAbsentFrom = { $0[keyPath: path] == nil }
    }
}

/// A payload's table with where in the payload its fields stand.
struct FieldTable<Payload: Sendable>: Sendable {
    let fields: [Field<Payload>]
    /// What stands around the object that holds the fields.
    var opening = ""
    var closing = ""
    let decode: @Sendable (JSONView) throws -> Payload

    /// The payload with each of the table's fields, of which one may be another JSON text or missing.
    func payload(replacing name: String? = nil, by json: String? = nil) throws -> Payload {
        let members = fields.compactMap { field -> String? in
            guard let text = field.name == name ? json : field.json else { return nil }
            return #""\#(field.name)":\#(text)"#
        }
        let text = opening + "{" + members.joined(separator: ",") + #","fieldOfTomorrow":[1]}"# + closing
        return try decode(JSONDocument(parsing: Array(text.utf8)).root)
    }

    /// Every field is read; each one alone can be missing, null, or of any other type, and is then absent while the
    /// others are still read.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let whole = try payload()
        for field in fields {
            #expect(field.isReadFrom(whole), "\(field.name)", sourceLocation: sourceLocation)
            for other in [nil] + Self.jsonOfOtherTypes(than: field.json) {
                let payload = try payload(replacing: field.name, by: other)
                #expect(
                    field.isAbsentFrom(payload), "\(field.name) as \(other ?? "missing")",
                    sourceLocation: sourceLocation)
                for rest in fields where rest.name != field.name {
                    #expect(
                        rest.isReadFrom(payload), "\(rest.name) beside \(field.name) as \(other ?? "missing")",
                        sourceLocation: sourceLocation)
                }
            }
        }
    }

    private static func jsonOfOtherTypes(than json: String) -> [String?] {
        [#""text""#, "7", "[7]", #"{"a":7}"#, "true", "null"].filter { $0.kindOfJSON != json.kindOfJSON }
    }
}

extension String {
    /// What the first character of a JSON text tells: string, array, object, word or number.
    fileprivate var kindOfJSON: Character {
        switch first {
        case "\"", "[", "{": first ?? " "
        case "t", "f": "t"
        case "n": "n"
        default: "0"
        }
    }
}

extension Instant {
    static func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }
}

import AppStoreModel
import Primitives
import Testing

/// One row of a payload's table: the field's name, its JSON text, and the value to read from it.
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

/// A payload's table, and the position of its fields in the payload.
struct FieldTable<Payload: Sendable>: Sendable {
    let fields: [Field<Payload>]
    /// The JSON text before and after the object with the fields.
    var opening = ""
    var closing = ""
    let decode: @Sendable (JSONView, MistypedClaims) throws -> Payload

    /// Returns the payload with all fields of the table, of which one may be replaced or left out.
    func payload(
        replacing name: String? = nil, by json: String? = nil, mistyped: MistypedClaims = .refused
    ) throws -> Payload {
        let members = fields.compactMap { field -> String? in
            guard let text = field.name == name ? json : field.json else { return nil }
            return #""\#(field.name)":\#(text)"#
        }
        let text = opening + "{" + members.joined(separator: ",") + #","fieldOfTomorrow":[1]}"# + closing
        return try decode(JSONDocument(parsing: Array(text.utf8)).root, mistyped)
    }

    /// Checks that every field is read. A missing or null field is absent, and the others are still read. A value of
    /// another JSON type is refused; in evidence from the log it is absent.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let whole = try payload()
        for field in fields {
            #expect(field.isReadFrom(whole), "\(field.name)", sourceLocation: sourceLocation)
            for absent in [nil, "null"] {
                expectOnly(field, absentFrom: try payload(replacing: field.name, by: absent), sourceLocation)
            }
            for other in ["true", "7", #""text""#, "[7]", #"{"a":7}"#] where other.typeOfJSON != field.json.typeOfJSON {
                expectOnly(
                    field, absentFrom: try payload(replacing: field.name, by: other, mistyped: .absent), sourceLocation)
                let refusal = PayloadError.claimMalformed(
                    claim: field.name, expected: field.json.typeOfJSON, found: other.typeOfJSON)
                #expect(throws: refusal, "\(field.name) as \(other)", sourceLocation: sourceLocation) {
                    try payload(replacing: field.name, by: other)
                }
            }
        }
    }

    private func expectOnly(
        _ field: Field<Payload>, absentFrom payload: Payload, _ sourceLocation: SourceLocation
    ) {
        #expect(field.isAbsentFrom(payload), "\(field.name)", sourceLocation: sourceLocation)
        for rest in fields where rest.name != field.name {
            #expect(rest.isReadFrom(payload), "\(rest.name) beside \(field.name)", sourceLocation: sourceLocation)
        }
    }
}

extension String {
    /// The type of a JSON text, determined from its first character.
    var typeOfJSON: JSONType {
        switch first {
        case "\"": .string
        case "[": .array
        case "{": .object
        case "t", "f": .boolean
        case "n": .null
        default: .number
        }
    }
}

extension Instant {
    static func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }
}

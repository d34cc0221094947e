import Primitives

/// A JSON value decoded completely, to compare two readers.
indirect enum JSONTree: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String.UTF8View)
    case array([JSONTree])
    case object([[UInt8]: JSONTree])

    init(_ view: JSONView) {
        if view.isNull {
            self = .null
        } else if let flag = view.bool {
            self = .bool(flag)
        } else if let number = view.double {
            self = .number(number)
        } else if let text = view.string {
            self = .string(text.utf8)
        } else if let elements = view.elements {
            self = .array(elements.map(JSONTree.init))
        } else {
            self = .object(
                Dictionary(view.members.map { (Array($0.key.utf8), JSONTree($0.value)) }, uniquingKeysWith: { $1 }))
        }
    }

    /// Whether it contains a number that overflows or underflows a double, or zero.
    var holdsExtremeNumber: Bool {
        switch self {
        case .number(let number): !number.isNormal
        case .array(let elements): elements.contains { $0.holdsExtremeNumber }
        case .object(let members): members.values.contains { $0.holdsExtremeNumber }
        case .null, .bool, .string: false
        }
    }

    /// The number of members of all objects in it.
    var memberCount: Int {
        switch self {
        case .array(let elements): elements.reduce(0) { $0 + $1.memberCount }
        case .object(let members): members.values.reduce(members.count) { $0 + $1.memberCount }
        case .null, .bool, .number, .string: 0
        }
    }

    static func == (left: JSONTree, right: JSONTree) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.elementsEqual(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONTree: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            let pairs = try container.allKeys.map {
                (Array($0.stringValue.utf8), try container.decode(JSONTree.self, forKey: $0))
            }
            self = .object(Dictionary(pairs, uniquingKeysWith: { $1 }))
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONTree] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONTree.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let flag = try? container.decode(Bool.self) {
                self = .bool(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .string(try container.decode(String.self).utf8)
            }
        }
    }
}

extension JSONDocument {
    convenience init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }
}

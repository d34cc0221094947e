import Primitives

/// Numbers of a table that add up by key: the part of a sum that one worker found. Any engine can add those of all workers.
package struct SumPart: Hashable, Sendable {
    /// An RFC 8785 array.
    package let key: [UInt8]
    package let numbers: [Int64]

    package init(key: [UInt8], numbers: [Int64]) {
        (self.key, self.numbers) = (key, numbers)
    }

    init(_ key: [JSONValue], _ numbers: [Int64]) {
        self.init(key: JSONValue.array(key).canonical(), numbers: numbers)
    }
}

/// Reads the elements of the key of a part in order.
struct SumKeyReader {
    private var elements: ArraySlice<JSONView>

    /// Nil for bytes that are no array.
    init?(_ key: [UInt8]) {
        guard let elements = try? JSONDocument(parsing: key).root.elements else { return nil }
        self.elements = elements[...]
    }

    mutating func text() -> String? { elements.popFirst()?.string }
    mutating func integer() -> Int? { elements.popFirst()?.integer.map { Int($0) } }

    /// Returns a text or null; nil for anything else.
    mutating func optionalText() -> String?? {
        guard let element = elements.popFirst() else { return nil }
        if element.isNull { return .some(nil) }
        return element.string.map { .some($0) }
    }

    /// Returns texts or nulls; nil if there are fewer.
    mutating func optionalTexts(_ count: Int) -> [String?]? {
        var texts: [String?] = []
        for _ in 0..<count {
            guard let text = optionalText() else { return nil }
            texts.append(text)
        }
        return texts
    }

    mutating func scope() -> AppScope? {
        guard let environment = text(), let bundleId = text() else { return nil }
        return AppScope(environment: environment, bundleId: bundleId)
    }

    var isAtEnd: Bool { elements.isEmpty }
}

extension AppScope {
    /// The elements that name the scope in the key of a part.
    var elements: [JSONValue] { [.string(environment), .string(bundleId)] }
}

package import Primitives

/// An activation of rules that a command hands over to the service.
package struct ActivationRequest: Sendable {
    /// The name of the rules file in errors.
    package let file: String
    /// The rules file, unchanged, since it becomes the evidence of the event.
    package let text: String
    /// The name of the person or of the process that activates the rules.
    package let by: String

    package init(file: String, text: String, by: String) {
        self.file = file
        self.text = text
        self.by = by
    }
}

extension ActivationRequest {
    package var json: JSONValue {
        .object(["file": .string(file), "text": .string(text), "by": .string(by)])
    }

    /// - Throws: `posting_malformed`.
    package init(_ json: JSONView) throws(CustomerError) {
        try json.requireMembers(["file", "text", "by"])
        self.init(
            file: try json.requiredText(of: "file"), text: try json.requiredText(of: "text"),
            by: try json.requiredText(of: "by"))
    }
}

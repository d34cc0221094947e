package import Primitives

/// A catalogue or rates file that a command hands over to the service.
package struct FileRequest: Sendable {
    /// The name of the file in errors.
    package let file: String
    /// The content of the file, unchanged, since it becomes the evidence of the event.
    package let text: String

    package init(file: String, text: String) {
        self.file = file
        self.text = text
    }
}

extension FileRequest {
    package var json: JSONValue { .object(["file": .string(file), "text": .string(text)]) }

    /// - Throws: `posting_malformed`.
    package init(_ json: JSONView) throws(CustomerError) {
        try json.requireMembers(["file", "text"])
        self.init(file: try json.requiredText(of: "file"), text: try json.requiredText(of: "text"))
    }
}

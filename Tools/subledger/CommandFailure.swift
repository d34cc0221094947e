import Primitives

/// Why a command could not do its work, as it is told: `error[CODE]: WHAT; expected …, found …. HINT`.
struct CommandFailure: Error {
    static let refused: Int32 = 1
    static let usage: Int32 = 2
    static let io: Int32 = 3

    let code: String
    let message: String
    var expected: String?
    var found: String?
    var hint: String?
    let exitCode: Int32

    func report(as format: OutputFormat) {
        Terminal.standardError.write((format == .json ? json : text) + "\n")
    }

    private var text: String {
        var text = "error[\(code)]: \(message)"
        if let expected { text += "; expected \(expected)" }
        if let found { text += "\(expected == nil ? ";" : ",") found \(found)" }
        return text + "." + (hint.map { " \($0)" } ?? "")
    }

    private var json: String {
        JSONValue.object([
            "error": .object([
                "code": .string(code), "message": .string(message), "expected": JSONValue(expected),
                "found": JSONValue(found), "hint": JSONValue(hint),
            ])
        ]).serialized()
    }
}

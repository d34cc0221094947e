package import Primitives

/// The outcome of a row of an import.
package struct ImportVerdict: Error, Hashable, Sendable {
    package enum Word: String, CaseIterable, Sendable {
        /// The row added something to the log.
        case filled
        /// The log had it before.
        case known
        /// Apple does not know the id.
        case unknownId = "unknown_id"
        /// Verification, or Apple, refused what the row is about.
        case refused
        /// The purchase belongs to another customer.
        case conflict
        case malformed
        /// Apple was not asked yet.
        case waiting
    }

    package let word: Word
    /// The reason, for `refused`, `conflict`, `malformed`, and for `waiting` that does not end by itself.
    package let code: String?

    package init(_ word: Word, _ code: String? = nil) {
        self.word = word
        self.code = code
    }

    static func malformed(_ code: String) -> ImportVerdict { ImportVerdict(.malformed, code) }
}

/// A row of the response to an import.
package struct ImportLine: Hashable, Sendable {
    /// Counts from 1. Empty lines count, and have no verdict.
    package let line: Int
    package let verdict: ImportVerdict

    package init(line: Int, verdict: ImportVerdict) {
        self.line = line
        self.verdict = verdict
    }

    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("line", JSONValue(line)), .init("verdict", .string(verdict.word.rawValue)),
        ]
        if let code = verdict.code { members.append(.init("code", .string(code))) }
        return .object(members)
    }

    /// Nil for other JSON.
    package init?(_ json: JSONView) {
        guard let line = json["line"]?.integer,
            let word = (json["verdict"]?.string).flatMap(ImportVerdict.Word.init(rawValue:))
        else { return nil }
        self.init(line: Int(line), verdict: ImportVerdict(word, json["code"]?.string))
    }
}

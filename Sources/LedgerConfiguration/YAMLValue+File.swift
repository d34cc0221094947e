import LedgerStorage
import Yams

extension YAMLValue {
    private static let byteLimit = 1 << 20

    /// Returns the text of a YAML file.
    /// - Parameter afterReading: called after the last read, before the check that the file is still the same.
    /// - Throws: `ConfigurationError` for a text that is too long or not UTF-8; `InputFailure` when there is no such
    ///   file, or when it changed while it was read.
    static func text(of path: String, afterReading: () throws -> Void = {}) throws -> String {
        let bytes = try InputFile.unchangedBytes(of: path, limit: byteLimit, afterReading: afterReading)
        guard bytes.count <= byteLimit else {
            throw ConfigurationError(path, "the file is too large", expected: "at most 1 MiB", found: "more")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError(path, "the file is not UTF-8")
        }
        return text
    }

    /// Returns the root node of a YAML text; nil for an empty one.
    static func parse(_ yaml: String, _ file: String) throws(ConfigurationError) -> Node? {
        do {
            return try compose(yaml: yaml)
        } catch let error as YamlError {
            throw ConfigurationError(yaml: error, file: file)
        } catch {
            throw ConfigurationError(file, "the file is not valid YAML")
        }
    }
}

extension ConfigurationError {
    fileprivate init(yaml error: YamlError, file: String) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init("\(file):\(mark.line):\(mark.column)", "the file is not valid YAML: \(problem)")
        case .duplicatedKeysInMapping(let keys, let context):
            self.init(
                "\(file):\(context.mark.line):\(context.mark.column)", "duplicate key", expected: "unique keys",
                found: keys.joined(separator: ", "))
        case .reader(let problem, _, _, _):
            self.init(file, "the file is not valid YAML: \(problem)")
        default:
            self.init(file, "the file is not valid YAML")
        }
    }
}

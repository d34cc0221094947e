import CLMDB
import Glibc

/// A failure of liblmdb, of the operating system, or of the check of a data file.
///
/// Equality compares only the code, so callers and tests are independent of the wording.
package struct LMDBError: Error, Sendable {
    package var code: Code
    /// The failed operation, by its C name where there is one: `mdb_txn_commit`.
    package var operation: String
    package var expected: String?
    package var found: String?

    package init(_ code: Code, operation: String, expected: String? = nil, found: String? = nil) {
        self.code = code
        self.operation = operation
        self.expected = expected
        self.found = found
    }
}

extension LMDBError: Hashable {
    package static func == (left: LMDBError, right: LMDBError) -> Bool { left.code == right.code }

    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension LMDBError: CustomStringConvertible {
    package var description: String {
        // liblmdb's own messages begin with the name of the code.
        var text = "\(operation): \(code.rawValue < 0 ? "" : "\(code): ")\(code.explanation)"
        if let expected { text += "; expected \(expected)" }
        if let found { text += "\(expected == nil ? "; " : ", ")found \(found)" }
        return text
    }
}

extension LMDBError {
    /// Throws unless `result` is `MDB_SUCCESS`. Every return code of liblmdb is checked here.
    @inline(__always)
    static func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(LMDBError) {
        guard result != MDB_SUCCESS else { return }
        throw LMDBError(Code(rawValue: result), operation: operation())
    }

    /// The error of the system call that has just failed.
    static func system(_ operation: String) -> LMDBError {
        LMDBError(Code(rawValue: errno), operation: operation)
    }
}

package import Primitives

/// A failure of the ledger's storage. The codes are stable; two errors are equal when their codes are.
package struct StorageError: DiagnosedError, Equatable, Sendable {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The map is full: raise `log.mapSizeBytes`. Appends may be tried again.
        package static let mapFull = Code(rawValue: "map_full")
        /// No room on the disk. Appends may be tried again.
        package static let diskFull = Code(rawValue: "disk_full")
        /// A file operation failed. The outcome of an append is unknown until it is retried with the same keys.
        package static let ioError = Code(rawValue: "io_error")
        /// Another process holds the writer's lock.
        package static let locked = Code(rawValue: "locked")
        /// Invalid bytes in the log or in another stored file.
        package static let logCorrupt = Code(rawValue: "log_corrupt")
        /// Written by another version.
        package static let versionUnknown = Code(rawValue: "version_unknown")
        /// A queue is full, or the log is closing or being reopened. Try again.
        package static let busy = Code(rawValue: "busy")

        fileprivate var isRetryable: Bool { [.mapFull, .diskFull, .ioError, .busy].contains(self) }
    }

    package let code: Code
    package var diagnosis: Diagnosis

    package init(_ code: Code, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil) {
        self.code = code
        diagnosis = Diagnosis(
            code.rawValue, message, expected: expected, found: found, hint: hint, isRetryable: code.isRetryable)
    }

    package static func == (left: StorageError, right: StorageError) -> Bool {
        left.code == right.code
    }

    package var isRetryable: Bool { diagnosis.isRetryable }
}

extension StorageError: CustomStringConvertible {
    package var description: String { diagnosis.description }
}

extension StorageError {
    package static let rebuildHint = "Delete derived/. The ledger rebuilds it from the log."

    /// - Parameter part: the name of the unreadable part of `derived/`.
    package static func derivedDamaged(_ part: String) -> StorageError {
        StorageError(.logCorrupt, "\(part) in derived/ cannot be read", hint: rebuildHint)
    }
}

/// Why the log could not do what was asked. Codes are those of the contracts; equality is on the code.
package struct EventLogError: Error, Equatable, Sendable {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The map is full: raise `log.mapSizeBytes`. Appends may be tried again.
        package static let mapFull = Code(rawValue: "map_full")
        /// No room on the disk. Appends may be tried again.
        package static let diskFull = Code(rawValue: "disk_full")
        /// The disk failed; the outcome of the group is unknown until its identities are asked for again.
        package static let ioError = Code(rawValue: "io_error")
        /// Another process writes.
        package static let locked = Code(rawValue: "locked")
        /// Bytes in the log that cannot be.
        package static let logCorrupt = Code(rawValue: "log_corrupt")
        /// Written by a later version.
        package static let versionUnknown = Code(rawValue: "version_unknown")
        /// The queue is full, or the log is closing. Try again.
        package static let busy = Code(rawValue: "busy")
    }

    package let code: Code
    package let message: String
    package var expected: String?
    package var found: String?
    package var hint: String?

    package init(_ code: Code, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.expected = expected
        self.found = found
        self.hint = hint
    }

    package static func == (left: EventLogError, right: EventLogError) -> Bool {
        left.code == right.code
    }

    /// Whether the same call may succeed later without anybody changing it.
    package var isRetryable: Bool { [.mapFull, .diskFull, .ioError, .busy].contains(code) }
}

package import LedgerConfiguration
package import Logging
package import Primitives

/// Logs one line per message: JSON for programs, or text for people.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let format: Settings.Logging.Format
    private let clock: @Sendable () -> Instant
    private let write: @Sendable (String) -> Void

    /// - Parameter write: receives each line including its newline, from any thread.
    package init(
        _ settings: Settings.Logging, clock: @escaping @Sendable () -> Instant,
        write: @escaping @Sendable (String) -> Void
    ) {
        logLevel = Logger.Level(rawValue: settings.level.rawValue) ?? .info
        format = settings.format
        self.clock = clock
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
        switch format {
        case .json: write(json(event, merged).serialized() + "\n")
        case .text: write(text(event, merged) + "\n")
        }
    }

    private func json(_ event: LogEvent, _ metadata: [(key: String, value: Logger.MetadataValue)]) -> JSONValue {
        .object(
            [
                .init("time", JSONValue(clock())), .init("level", .string(event.level.rawValue)),
                .init("message", .string(event.message.description)),
            ] + metadata.map { JSONValue.Member($0.key, JSONValue($0.value)) })
    }

    private func text(_ event: LogEvent, _ metadata: [(key: String, value: Logger.MetadataValue)]) -> String {
        let members = metadata.map { " \($0.key)=\($0.value)" }.joined()
        let line = "\(clock()) \(event.level.rawValue) \(event.message)\(members)"
        // One message is one line, so newlines in it become spaces.
        return String(line.map { $0.isNewline ? " " : $0 })
    }
}

extension JSONValue {
    fileprivate init(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .stringConvertible(let number as Int): self = .integer(Int64(number))
        case .stringConvertible(let number as UInt64): self = .integer(Int64(clamping: number))
        case .stringConvertible(let number as Double): self = .double(number)
        case .stringConvertible(let flag as Bool): self = .bool(flag)
        case .stringConvertible(let other): self = .string(other.description)
        case .array(let values): self = .array(values.map { JSONValue($0) })
        case .dictionary(let values):
            self = .object(values.sorted { $0.key < $1.key }.map { Member($0.key, JSONValue($0.value)) })
        }
    }
}

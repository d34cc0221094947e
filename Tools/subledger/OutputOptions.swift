import ArgumentParser

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table
    case json

    /// Returns the format of errors, read from the raw arguments because parsing itself may have failed.
    static func ofErrors(arguments: [String]) -> OutputFormat {
        let pairs = zip(arguments, arguments.dropFirst())
        let isJSON = arguments.contains("--format=json") || pairs.contains { $0 == "--format" && $1 == "json" }
        return isJSON ? .json : .table
    }
}

struct OutputOptions: ParsableArguments {
    @Option(help: "Output format (default: table on a terminal, JSON otherwise).")
    var format: OutputFormat?

    @Flag(help: "Print only data and errors.")
    var quiet = false

    var effectiveFormat: OutputFormat {
        format ?? (Terminal.standardOutput.isInteractive ? .table : .json)
    }

    var showsProgress: Bool { !quiet && Terminal.standardError.isInteractive }
}

/// The format of rows.
enum RowFormat: String, ExpressibleByArgument, CaseIterable {
    case table
    case json
    case csv
}

/// The output options of commands whose answers are rows.
struct RowOutputOptions: ParsableArguments {
    @Option(help: "Output format (default: table on a terminal, JSON otherwise). CSV has the rows alone.")
    var format: RowFormat?

    @Flag(help: "Print only data and errors.")
    var quiet = false

    var effectiveFormat: RowFormat {
        format ?? (Terminal.standardOutput.isInteractive ? .table : .json)
    }

    /// Runs `body` with a progress bar on a terminal, and clears it.
    func withProgress<Result>(_ body: (RebuildProgressBar?) throws -> Result) rethrows -> Result {
        try Self.withProgress(quiet: quiet, body)
    }

    static func withProgress<Result>(
        quiet: Bool, _ body: (RebuildProgressBar?) throws -> Result
    ) rethrows -> Result {
        let bar = !quiet && Terminal.standardError.isInteractive ? RebuildProgressBar() : nil
        defer { bar?.clear() }
        return try body(bar)
    }

    static func withProgress<Result>(
        quiet: Bool, _ body: (RebuildProgressBar?) async throws -> Result
    ) async rethrows -> Result {
        let bar = !quiet && Terminal.standardError.isInteractive ? RebuildProgressBar() : nil
        defer { bar?.clear() }
        return try await body(bar)
    }
}

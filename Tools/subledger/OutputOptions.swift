import ArgumentParser

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table
    case json

    /// The format that errors are told in, read off the arguments themselves: they may be what is wrong.
    static func ofErrors(arguments: [String]) -> OutputFormat {
        let pairs = zip(arguments, arguments.dropFirst())
        let isJSON = arguments.contains("--format=json") || pairs.contains { $0 == "--format" && $1 == "json" }
        return isJSON ? .json : .table
    }
}

struct OutputOptions: ParsableArguments {
    @Option(help: "How to print results; by default a table on a terminal, JSON elsewhere.")
    var format: OutputFormat?

    @Flag(help: "Print nothing but data and errors.")
    var quiet = false

    var effectiveFormat: OutputFormat {
        format ?? (Terminal.standardOutput.isInteractive ? .table : .json)
    }

    var showsProgress: Bool { !quiet && Terminal.standardError.isInteractive }
}

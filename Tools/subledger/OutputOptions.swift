import ArgumentParser

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table
    case json
}

struct OutputOptions: ParsableArguments {
    @Option(help: "How to print results; by default a table on a terminal, JSON elsewhere.")
    var format: OutputFormat?

    @Flag(help: "Print nothing but data and errors.")
    var quiet = false

    var effectiveFormat: OutputFormat {
        format ?? (Terminal.standardOutput.isInteractive ? .table : .json)
    }
}

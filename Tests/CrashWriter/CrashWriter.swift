import ArgumentParser

/// Writes to a ledger from many concurrent clients while tests kill it, fill its disk or make its calls fail.
@main
struct CrashWriter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash-writer", abstract: "Writes to a ledger until it is stopped, for tests.",
        subcommands: [WriteCommand.self, HoldCommand.self, PostCommand.self])
}

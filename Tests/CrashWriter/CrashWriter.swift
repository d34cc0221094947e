import ArgumentParser

/// A program for tests to kill, to starve and to deceive: it writes to a ledger as many clients do at once.
@main
struct CrashWriter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash-writer", abstract: "Writes to a ledger until it is stopped, for tests.",
        subcommands: [WriteCommand.self, HoldCommand.self, PostCommand.self])
}

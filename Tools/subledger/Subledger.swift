import ArgumentParser
import SubscriptionLedger

/// The command line. Exit codes: 0 done, 1 refused, unknown or found wrong, 2 usage or configuration, 3 I/O.
@main
struct Subledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subledger",
        abstract: "A self-hosted, event-sourced ledger of App Store subscriptions.",
        subcommands: [VerifyCommand.self]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            failure.report()
            exit(withError: ExitCode(failure.exitCode))
        } catch where exitCode(for: error) == .validationFailure {
            Terminal.standardError.write(fullMessage(for: error) + "\n")
            exit(withError: ExitCode(CommandFailure.usage))
        } catch {
            exit(withError: error)
        }
    }
}

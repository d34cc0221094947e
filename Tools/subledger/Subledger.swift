import ArgumentParser
import LedgerStorage
import Primitives
import SubscriptionLedger

/// The command line. Exit codes: 0 success; 1 refused, unknown or found invalid; 2 usage or configuration; 3 I/O.
@main
struct Subledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subledger",
        abstract: "A self-hosted, event-sourced ledger of App Store subscriptions.",
        subcommands: [
            VerifyCommand.self, IngestCommand.self, StateCommand.self, HistoryCommand.self, ReplayCommand.self,
            OffersCommand.self,
            CohortsCommand.self, ChurnCommand.self, RevenueCommand.self,
            LogCommand.self, ReceiptCommand.self,
            CustomerCommand.self, QuarantineCommand.self, AuditCommand.self, BackupCommand.self, ServeCommand.self,
            KeyCommand.self, PollCommand.self, ReconcileCommand.self, ImportCommand.self, ProjectCommand.self,
            CatalogCommand.self,
            RatesCommand.self, CloseCommand.self, ExportCommand.self,
            SimulateCommand.self,
        ]
    )

    static func main() async {
        let errorFormat = OutputFormat.ofErrors(arguments: CommandLine.arguments)
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            if let failure = Terminal.lostOutput { throw failure }
        } catch let failure as CommandFailure {
            failure.report(as: errorFormat)
            exit(withError: ExitCode(failure.exitCode))
        } catch is ExitCode where Terminal.lostOutput != nil {
            Terminal.lostOutput?.report(as: errorFormat)
            exit(withError: ExitCode(CommandFailure.io))
        } catch let failure as AuditSupervision.ExitFailure {
            exit(withError: ExitCode(failure.code))
        } catch let error as any DiagnosedError {
            let failure = CommandFailure(error)
            failure.report(as: errorFormat)
            exit(withError: ExitCode(failure.exitCode))
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            switch errorFormat {
            case .table: Terminal.standardError.write(fullMessage(for: error) + "\n")
            case .json:
                CommandFailure(code: "usage", message: message(for: error), exitCode: CommandFailure.usage)
                    .report(as: .json)
            }
            exit(withError: ExitCode(CommandFailure.usage))
        }
    }
}

import ArgumentParser
import Glibc
import Primitives
import SubscriptionLedger

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the ledger to a new folder.",
        discussion: """
            The service can keep running. Copies the log, its anchors and the quarantine. Derived data and stored projections are \
            not copied, because they can be rebuilt from the log. The copy is built in DESTINATION.partial and \
            renamed when complete. Run the same command again to continue an interrupted backup.

            Without --with-secrets the copy contains no keys, no vault of customer ids and no checkpoint. A copy with \
            secrets is as sensitive as the ledger.

            EXAMPLES
              subledger backup /mnt/backup/ledger-2026-03-01
              subledger backup /mnt/safe/ledger-2026-03-01 --with-secrets
            """
    )

    @Argument(help: "Folder to create; must not exist.")
    var destination: String

    @Flag(help: "Include the keys, the vault of customer ids and the last checkpoint.")
    var withSecrets = false

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard access(destination, F_OK) != 0 else {
            throw CommandFailure(
                code: "usage", message: "\(destination) already exists", expected: "a folder that does not exist",
                found: "an existing file or folder", exitCode: CommandFailure.usage)
        }
        let source = try ledger.reading()
        let showsProgress = output.showsProgress
        let events = try LedgerBackup(of: source, withSecrets: withSecrets).copy(to: destination) { copied, total in
            if showsProgress { Terminal.standardError.write("\r\(copied) of \(total) events ") }
        }
        if showsProgress { Terminal.standardError.write("\r\u{1B}[K") }
        report(events)
    }

    private func report(_ events: UInt64) {
        switch output.effectiveFormat {
        case .json:
            let answer = JSONValue.object([
                "destination": .string(destination), "events": .integer(Int64(events)), "secrets": .bool(withSecrets),
            ])
            Terminal.standardOutput.write(answer.serialized() + "\n")
        case .table:
            let secrets = withSecrets ? "with the keys and the vault" : "without the keys and the vault"
            Terminal.standardOutput.write("\(events) events copied to \(destination), \(secrets)\n")
        }
    }
}

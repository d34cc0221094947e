import ArgumentParser
import EventLog
import SubscriptionLedger

/// Which ledger a command works on.
struct LedgerOptions: ParsableArguments {
    @Option(help: "The ledger's folder; SUBLEDGER_DATA, else ./data.")
    var data: String?

    var folder: DataFolder {
        DataFolder(path: data ?? ProcessEnvironment.value("SUBLEDGER_DATA") ?? "./data")
    }

    func configuration(_ trust: TrustOptions? = nil) throws -> Ledger.Configuration {
        var configuration = Ledger.Configuration(folder: folder, clock: SystemClock.now)
        if let trust { configuration.trust = try trust.policy() }
        return configuration
    }

    /// Opens the ledger beside whoever writes.
    func reading() throws -> Ledger {
        try Ledger(reading: try configuration())
    }
}

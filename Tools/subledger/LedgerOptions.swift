import ArgumentParser
import LedgerConfiguration
import LedgerStorage
import SubscriptionLedger

/// The ledger of a command. Precedence: option, environment variable, configuration file, default.
struct LedgerOptions: ParsableArguments {
    @Option(help: "Data folder (SUBLEDGER_DATA; default ./data).")
    var data: String?

    @Option(help: "Configuration file (SUBLEDGER_CONFIG).")
    var config: String?

    var folder: DataFolder {
        get throws { DataFolder(path: try settings().data) }
    }

    func settings() throws -> Settings {
        var settings = Settings()
        if let path = config ?? ProcessEnvironment.value("SUBLEDGER_CONFIG") {
            settings = try Self.settings(file: path)
        }
        if let data = data ?? ProcessEnvironment.value("SUBLEDGER_DATA") { settings.data = data }
        return settings
    }

    private static func settings(file path: String) throws -> Settings {
        do {
            return try Settings(file: path)
        } catch let failure as InputFailure {
            throw ConfigurationError(path, "the configuration file cannot be read", found: failure.reason)
        }
    }

    func configuration(_ trust: TrustOptions? = nil) throws -> Ledger.Configuration {
        let settings = try settings()
        var configuration = Ledger.Configuration(
            folder: DataFolder(path: settings.data), clock: SystemClock.now)
        configuration.trust = try trust?.policy(over: settings) ?? TrustOptions.policy(of: settings)
        configuration.mapSizeBytes = settings.log.mapSizeBytes
        configuration.groupCommitEvents = settings.log.groupCommitEvents
        configuration.origin = settings.log.origin
        configuration.quarantine.items = settings.log.quarantineItems
        configuration.quarantine.bytes = settings.log.quarantineBytes
        return configuration
    }

    /// Opens the ledger for reading, even while a writer has it open.
    func reading() throws -> LedgerReader {
        try LedgerReader(try configuration())
    }
}

import ArgumentParser
import EventLog
import LedgerConfiguration
import SubscriptionLedger

/// Which ledger a command works on, and how it is set up: an option counts before its variable, that before the
/// configuration file, that before the default.
struct LedgerOptions: ParsableArguments {
    @Option(help: "The ledger's folder; SUBLEDGER_DATA, else ./data.")
    var data: String?

    @Option(help: "The configuration file; SUBLEDGER_CONFIG, else none.")
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
        } catch let error as ConfigurationError {
            throw CommandFailure(error)
        } catch let failure as InputFailure {
            throw CommandFailure(
                ConfigurationError(path, "the configuration was not read", found: failure.reason))
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

    /// Opens the ledger beside whoever writes.
    func reading() throws -> Ledger {
        try Ledger(reading: try configuration())
    }
}

extension CommandFailure {
    init(_ error: ConfigurationError, code: String = "configuration_invalid") {
        self.init(
            code: code, message: "\(error.place): \(error.message)", expected: error.expected,
            found: error.found, hint: error.hint, exitCode: Self.usage)
    }
}

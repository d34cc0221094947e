import FoundationEssentials

/// What the environment asks of the tests.
package enum TestEnvironment {
    /// Starts every property test, and replays one: `SUBLEDGER_SEED`, decimal.
    package static let seed = variables["SUBLEDGER_SEED"].flatMap(UInt64.init) ?? 20_260_427

    /// Whether the big versions of the tests run: `SUBLEDGER_LONG`.
    package static let isLong = variables["SUBLEDGER_LONG"] == "1"

    /// The folder of real App Store data, if it is there: `SUBLEDGER_FIXTURES`. It is read where it stands, and
    /// nothing of it is ever copied into the project.
    package static let fixtures: String? = {
        let folder = variables["SUBLEDGER_FIXTURES"] ?? "../shared/fixtures"
        return FileManager.default.fileExists(atPath: folder + "/MANIFEST.json") ? folder : nil
    }()

    /// The folder of scenarios, if it is there: `SUBLEDGER_SCENARIOS`. They are run where they stand.
    package static let scenarios: String? = {
        let folder = variables["SUBLEDGER_SCENARIOS"] ?? "../shared/scenarios"
        return FileManager.default.fileExists(atPath: folder + "/run") ? folder : nil
    }()

    private static var variables: [String: String] { ProcessInfo.processInfo.environment }
}

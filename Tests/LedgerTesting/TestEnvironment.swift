import FoundationEssentials

/// The environment variables that configure the tests.
package enum TestEnvironment {
    /// The seed of every property test: `SUBLEDGER_SEED`, decimal. Setting it replays a run.
    package static let seed = variables["SUBLEDGER_SEED"].flatMap(UInt64.init) ?? 20_260_427

    /// Whether the long versions of the tests run: `SUBLEDGER_LONG`.
    package static let isLong = variables["SUBLEDGER_LONG"] == "1"

    /// The number of simulated years of `Tools/test --convergence`; nil without the option.
    package static let convergenceSeeds = variables["SUBLEDGER_CONVERGENCE"].flatMap { Int($0) }.map { max(1, $0) }

    /// The folder of real App Store data: `SUBLEDGER_FIXTURES`; nil if it is absent. The data is read in place and must
    /// never be copied into the project.
    package static let fixtures: String? = {
        let folder = variables["SUBLEDGER_FIXTURES"] ?? "../shared/fixtures"
        return FileManager.default.fileExists(atPath: folder + "/MANIFEST.json") ? folder : nil
    }()

    /// The folder of scenarios: `SUBLEDGER_SCENARIOS`; nil if it is absent. They are run in place.
    package static let scenarios: String? = {
        let folder = variables["SUBLEDGER_SCENARIOS"] ?? "../shared/scenarios"
        return FileManager.default.fileExists(atPath: folder + "/run") ? folder : nil
    }()

    /// The folder of tables worked by hand: `SUBLEDGER_WORKED`; nil if it is absent. They are read in place.
    package static let worked: String? = {
        let folder = variables["SUBLEDGER_WORKED"] ?? "../shared/worked"
        return FileManager.default.fileExists(atPath: folder + "/intro.json") ? folder : nil
    }()

    private static var variables: [String: String] { ProcessInfo.processInfo.environment }
}

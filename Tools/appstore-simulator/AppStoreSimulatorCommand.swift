import ArgumentParser

/// The command line of the simulated App Store. Exit codes: 0 success; 2 usage; 3 I/O.
@main
struct AppStoreSimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appstore-simulator",
        abstract:
            "A simulated App Store: the Server API, verifyReceipt and notifications, on a virtual clock.",
        subcommands: [ServeCommand.self])
}

import AppStoreModel
import AppStoreSimulation
import ArgumentParser
import FoundationEssentials
import LedgerConfiguration
import Primitives

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Write the signed notifications of a simulated app, and the truth about it.",
        discussion: """
            Writes root.der to trust, catalog.yaml, notifications.ndjson with one notification body per line, and \
            truth.json with the true state of every purchase at the end. The same seed gives the same files. To serve \
            the same simulation over HTTP, use `appstore-simulator serve`.

            EXAMPLES
              subledger simulate --seed 1 --customers 200 --months 12 --out simulated
              subledger ingest simulated/notifications.ndjson --trust-root simulated/root.der \\
                  --bundle-id com.example.app --app-apple-id 1234567890
            """)

    @Option(help: "Determines everything random.")
    var seed: UInt64 = 1

    @Option(help: "Number of customers, each with a relative.")
    var customers = 200

    @Option(help: "Number of months, from 2025-01-01.")
    var months = 18

    @Option(help: "Folder to write to. It is created if it is missing.")
    var out: String

    func validate() throws {
        guard (0...100_000).contains(customers), (1...240).contains(months) else {
            throw ValidationError("--customers must be from 0 to 100000, and --months from 1 to 240.")
        }
    }

    func run() throws {
        var store = StoreConfiguration.lifelike
        store.delivery = NotificationDelivery()
        let simulation = Simulation(seed: seed, customers: customers, months: months, store: store)
        let history = simulation.run()
        let signer = JWSSigner()
        let notifications = history.artifacts.filter { $0.kind == .notification }
        let lines = notifications.map { signer.sign($0).body ?? [] }
        let truth = TruthReport(at: simulation.end, seed: seed, history.truth.rows(at: simulation.end))
        do {
            try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
            try write(signer.authority.rootCertificate, to: "root.der")
            try write(Array(store.catalog.yaml(bundleId: store.bundleId).utf8), to: "catalog.yaml")
            try write(
                Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")], to: "notifications.ndjson")
            try write(Array((truth.json.serialized() + "\n").utf8), to: "truth.json")
        } catch {
            throw CommandFailure(
                code: "io_error", message: "the files cannot be written to \(out)", found: "\(error)",
                exitCode: CommandFailure.io)
        }
        Terminal.standardError.write("\(notifications.count) notifications written to \(out)\n")
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: out + "/" + name), options: .atomic)
    }
}

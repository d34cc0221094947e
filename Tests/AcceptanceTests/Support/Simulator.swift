import Glibc
import LedgerTesting
import Primitives
import Testing

/// A running `appstore-simulator serve`, with the configuration of a ledger that asks it.
struct Simulator {
    let child: ChildProcess
    /// The folder of its keys.
    let folder: String
    private let port: UInt16

    /// Starts the simulator on a free port and waits until the months have been played.
    init(in folder: String, start: Instant, months: Int, _ options: [String] = []) throws {
        self.folder = folder
        child = try ChildProcess(
            "appstore-simulator",
            ["serve", "--port", "0", "--out", folder, "--start", start.iso8601, "--months", "\(months)"] + options)
        let line = try #require(child.nextLine(), "\(child.standardError)")
        port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) }, "\(line)")
        let end = start.advanced(byMilliseconds: Int64(months) * 28 * Instant.millisecondsPerDay)
        while try now() < end { usleep(20_000) }
    }

    /// Returns the response to a GET request, with its head.
    func get(_ path: String) throws -> String { try Loopback.get(path, port: port) }

    func now() throws -> Instant {
        let clock = try get("/simulator/clock")
        return try #require(clock.split(separator: "\"").compactMap { Instant(iso8601: String($0)) }.first, "\(clock)")
    }

    /// The text of a configuration file whose key is at `keyFile`.
    func configuration(data: String, keyFile: String? = nil, polling: String = "{enabled: false}") throws -> String {
        let api = try JSONDocument(parsing: File.read(folder + "/api.json")).root
        func text(_ name: StaticString) throws -> String { try #require(api[name]?.string) }
        return """
            data: \(data)
            trust: {roots: [\(folder)/root.der]}
            polling: \(polling)
            apps:
              - bundleId: \(try text("bundleId"))
                appAppleId: \(try #require(api["appAppleId"]?.integer))
                environments: [Production]
                serverAPI:
                  issuerId: \(try text("issuerId"))
                  keyId: \(try text("keyId"))
                  keyFile: \(keyFile ?? folder + "/api-key.p8")
                  baseURL: \(try text("baseURL"))

            """
    }

    func stop() throws {
        try #require(child.end(by: SIGTERM) == .exited(0), "\(child.standardError)")
    }
}

import AsyncHTTPClient
import FoundationEssentials
import LedgerConfiguration
import LedgerServer
import NIOCore
import NIOHTTP1
import Primitives
import Synchronization

/// The clock of a simulated App Store, in place of the wall clock.
///
/// The simulator delivers nothing before the followers of its clock have been notified of the new time.
final class SimulatorClock: Sendable {
    private let url: String
    private let milliseconds: Atomic<Int64>

    private static let answerLimit = 4_096
    /// An unanswered request is made again after this time: the clock may stand still.
    private static let timeout = Duration.seconds(30)

    /// Reads the clock.
    /// - Throws: `ConfigurationError` for a clock that is not on this machine, or does not answer.
    init(url: String) async throws {
        guard let host = URL(string: url)?.host(), ListenerPolicy.isLoopback(host) else {
            throw ConfigurationError(
                "--clock", "the clock must be that of a simulator on this machine",
                expected: "http://127.0.0.1:PORT/simulator/clock", found: url)
        }
        self.url = url
        do {
            milliseconds = Atomic(try await Self.read(url).milliseconds)
        } catch {
            throw ConfigurationError(
                "--clock", "the clock cannot be read", expected: "a running simulator", found: "\(error)",
                hint: "Start `appstore-simulator serve` first.")
        }
    }

    func now() -> Instant { Instant(milliseconds: milliseconds.load(ordering: .acquiring)) }

    /// Follows the clock until the task is cancelled. While the simulator is away, time stands still.
    func follow() async {
        while !Task.isCancelled {
            do {
                let now = try await Self.read(url + "?after=\(now().milliseconds)")
                milliseconds.store(now.milliseconds, ordering: .releasing)
            } catch {
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private static func read(_ url: String) async throws -> Instant {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: url), timeout: .nanoseconds(Int64(timeout / .nanoseconds(1))))
        let body = try await response.body.collect(upTo: answerLimit)
        let answer = try JSONDocument(parsing: Array(body.readableBytesView)).root
        guard response.status == .ok, let now = answer["now"]?.string.flatMap({ Instant(iso8601: $0) }) else {
            throw UnreadableClock(status: Int(response.status.code))
        }
        return now
    }

    private struct UnreadableClock: Error, CustomStringConvertible {
        let status: Int
        var description: String { "an answer with status \(status) that has no `now`" }
    }
}

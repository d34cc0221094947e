import ArgumentParser
import EventLog
import Glibc
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization

/// Thirty-two clients that append one call after another. Each writes its answer to standard output before its next
/// call:
///
///     ready
///     + CLIENT CALL POSITION:DIGEST …    acknowledged, with the position and the SHA-256 of the evidence of each event
///     ! CODE                             refused with a retryable code; the call is repeated
///
/// At the end of standard input it finishes the calls in progress and stops. A line of input lifts the file size limit.
struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "write")

    @Argument(help: "The ledger's folder.")
    var folder: String

    @Option(help: "What the events are made from.")
    var seed: UInt64

    @Option(help: "The call each client starts at, separated by commas.")
    var resume: String

    @Option(help: "How many calls each client makes; without it, no end.")
    var calls: Int?

    @Option(name: .customLong("map-size"), help: "Bytes of the map.")
    var mapSizeBytes = 1 << 40

    @Option(name: .customLong("file-limit"), help: "The largest file this process may write, in bytes (RLIMIT_FSIZE).")
    var fileLimit: UInt64?

    func run() async throws {
        if let fileLimit { try Self.limitFiles(to: fileLimit) }
        let ledger = try LedgerWriter(configuration)
        Output.write("ready\n")
        let isStopped = try Self.listen()
        let starts = resume.split(separator: ",").compactMap { Int($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, start) in starts.enumerated() {
                group.addTask {
                    let client = Client(number: number, seed: seed, ledger: ledger)
                    for call in start..<(calls.map { start + $0 } ?? .max) {
                        let isAnswered = try await client.make(call) { isStopped.value.load(ordering: .relaxed) }
                        guard isAnswered else { return }
                    }
                }
            }
            try await group.waitForAll()
        }
        ledger.close()
    }

    private var configuration: Ledger.Configuration {
        let ticks = Shared(Atomic<Int64>(0))
        var configuration = Ledger.Configuration(folder: DataFolder(path: folder)) {
            // A clock that jumps back and forth by a second; recordedAt must not.
            let tick = ticks.value.wrappingAdd(1, ordering: .relaxed).newValue
            return Self.now().advanced(byMilliseconds: tick % 3 * 1_000 - 1_000)
        }
        configuration.mapSizeBytes = mapSizeBytes
        configuration.trust = Drafts.trust
        return configuration
    }

    private static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// - Returns: a flag that is set at the end of standard input.
    private static func listen() throws -> Shared<Atomic<Bool>> {
        let hasEnded = Shared(Atomic(false))
        _ = try DedicatedThread {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) > 0 {
                if byte == UInt8(ascii: "\n") { try? limitFiles(to: .max) }
            }
            hasEnded.value.store(true, ordering: .relaxed)
        }
        return hasEnded
    }

    private static func limitFiles(to byteCount: UInt64) throws {
        // The limit then results in EFBIG, where a full disk results in ENOSPC.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: .max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
            throw ValidationError("files cannot be limited")
        }
    }
}

/// A shared reference to a value that cannot be copied.
final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}

enum Output {
    /// Writes a line in one call, so that concurrent lines do not mix: they are at most PIPE_BUF long.
    static func write(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            precondition(bytes.count <= 4_096, "a longer line would not be written in one piece")
            _ = Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}

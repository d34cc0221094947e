import Dispatch
import Exports
import Logging
import Primitives
import ServiceLifecycle
import SubscriptionLedger
import Synchronization

/// Runs the exports that are due by the clock of the ledger, on a thread of their own: they read the disk and wait for
/// databases, which would block the threads of requests.
struct ExportService: Service {
    let context: RouteContext
    let logger: Logger

    func run() async throws {
        let stop = Stop()
        // The threads of an export have no task that is cancelled, so they ask.
        let limit = WorkLimit { stop.isRequested.load(ordering: .relaxed) ? .cancelled : nil }
        await cancelWhenGracefulShutdown {
            await withTaskCancellationHandler {
                await withTaskExecutorPreference(ExportThread()) {
                    await WorkLimit.$current.withValue(limit) { await runUntilCancelled() }
                }
            } onCancel: {
                stop.isRequested.store(true, ordering: .relaxed)
            }
        }
    }

    private func runUntilCancelled() async {
        while (try? await Task.sleep(for: ServerLimits.pollInterval)) != nil {
            guard !context.reader.isCatchingUp else { continue }
            // It throws only when the task is cancelled, and the loop then ends.
            try? await context.exports.runDue(at: context.now) { export, outcome in log(export, outcome) }
        }
    }

    private final class Stop: Sendable {
        let isRequested = Atomic(false)
    }

    private func log(_ export: ScheduledExport, _ outcome: ExportScheduler.Outcome) {
        switch outcome {
        case .completed(let completed, let slot):
            logger.info(
                "exported",
                metadata: [
                    "name": "\(export.name)", "asOf": "\(slot.iso8601)", "manifest": "\(completed.manifestPath)",
                    "existed": "\(completed.existed)",
                ])
        case .failed(let failure, let isFirst):
            guard isFirst else { return }
            logger.error(
                "an export failed, and is repeated",
                metadata: [
                    "name": "\(export.name)", "asOf": "\(failure.slot.iso8601)", "code": "\(failure.code)",
                    "error": "\(failure.message)",
                ])
        }
    }
}

private final class ExportThread: TaskExecutor {
    private let queue = DispatchQueue(label: "exports")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension ExpositionText {
    /// Writes the metrics of exports on a schedule, if there are any.
    mutating func write(_ statuses: [ScheduleStatus]) {
        guard !statuses.isEmpty else { return }
        let completed = statuses.compactMap { status in status.record.completed.map { (status.name, $0) } }
        family(
            "subledger_export_last_success_timestamp_seconds", .gauge,
            "Time of the last successful run of an export, in seconds since 1970.")
        for (name, slot) in completed {
            sample(
                "subledger_export_last_success_timestamp_seconds", [("name", name)],
                "\(slot.completedAt.milliseconds / 1_000)")
        }
        family(
            "subledger_export_as_of_timestamp_seconds", .gauge,
            "Instant of the tables of the last successful run, in seconds since 1970.")
        for (name, slot) in completed {
            sample(
                "subledger_export_as_of_timestamp_seconds", [("name", name)], "\(slot.slot.milliseconds / 1_000)")
        }
        family(
            "subledger_export_failures_total", .counter, "Number of failed runs by export and code since start.")
        for status in statuses {
            for (code, count) in status.failures.sorted(by: { $0.key < $1.key }) {
                sample("subledger_export_failures_total", [("name", status.name), ("code", code)], "\(count)")
            }
        }
    }
}

extension ScheduleStatus {
    /// The failure of the last run, for readiness; nil after a success.
    var failureJSON: JSONValue? {
        record.failed.map {
            .object([
                "name": .string(name), "code": .string($0.code), "asOf": .string($0.slot.iso8601),
                "attempts": .integer($0.attempts),
            ])
        }
    }
}

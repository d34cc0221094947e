import LedgerConfiguration
import LedgerModel
import LedgerStorage
package import Primitives
package import SubscriptionLedger
import Synchronization

/// Runs exports at the instants of their schedules, one after the other.
///
/// At the start, the newest instant that was missed is caught up. A failed run is repeated after a pause that doubles,
/// until a newer instant replaces it.
package final class ExportScheduler: Sendable {
    private let writer: LedgerWriter
    package let exports: [ScheduledExport]
    private let states: Mutex<[String: State]>

    private struct State: Sendable {
        var record: ScheduleRecord
        /// The number of failures since the start, by code.
        var failures: [String: UInt64] = [:]
        /// The instant before which a failed run is not repeated.
        var pausedUntil = Instant.earliest
    }

    /// The end of a run.
    package enum Outcome: Sendable {
        case completed(CompletedExport, slot: Instant)
        /// - Parameter isFirst: whether no run of the same instant failed with this code directly before.
        case failed(FailedSlot, isFirst: Bool)
    }

    /// The pauses after failures in milliseconds.
    private static let pauses = Instant.millisecondsPerMinute...Instant.millisecondsPerHour

    package init(_ writer: LedgerWriter, _ exports: [ScheduledExport]) {
        (self.writer, self.exports) = (writer, exports)
        states = Mutex(
            Dictionary(
                exports.map { ($0.name, State(record: ScheduleRecord(of: $0.name, in: writer.configuration.folder))) }
            ) { first, _ in first })
    }

    /// Runs the exports that are due.
    /// - Parameter now: the time by the clock of the ledger.
    /// - Throws: `CancellationError`; `WorkStopped` when the task is cancelled.
    package func runDue(at now: Instant, report: (ScheduledExport, Outcome) -> Void) async throws {
        for export in exports {
            let slot = export.schedule.last(at: now)
            guard isDue(export, slot, at: now) else { continue }
            do {
                guard let completed = try await run(export, slot) else { continue }
                note(export) { state in
                    state.record.completed = CompletedSlot(completed, slot, completedAt: now, place: export.place)
                    (state.record.failed, state.pausedUntil) = (nil, .earliest)
                }
                report(export, .completed(completed, slot: slot))
            } catch is CancellationError {
                throw CancellationError()
            } catch WorkStopped.cancelled {
                throw WorkStopped.cancelled
            } catch {
                let (failed, isFirst) = noteFailure(error, of: export, slot, at: now)
                report(export, .failed(failed, isFirst: isFirst))
            }
        }
    }

    private func isDue(_ export: ScheduledExport, _ slot: Instant, at now: Instant) -> Bool {
        states.withLock { states in
            guard let state = states[export.name] else { return false }
            let isNewer = state.record.failed.map { $0.slot < slot } ?? true
            return (state.record.completed?.slot ?? .earliest) < slot && (isNewer || now >= state.pausedUntil)
        }
    }

    /// - Returns: nil for an instant before the first event.
    private func run(_ export: ScheduledExport, _ slot: Instant) async throws -> CompletedExport? {
        // No event is recorded at the instant or before from here on.
        let size = try writer.size(recordedBy: slot)
        guard size > 0 else { return nil }
        return try await export.run(slot, size: size, after: record(of: export)?.completed, writer.reader)
    }

    private func record(of export: ScheduledExport) -> ScheduleRecord? {
        states.withLock { $0[export.name]?.record }
    }

    /// Changes the state of an export, and stores its record. Without a stored record, the next start exports more than
    /// needed, but nothing wrong.
    private func note(_ export: ScheduledExport, _ change: (inout State) -> Void) {
        let record = states.withLock { states -> ScheduleRecord? in
            guard var state = states[export.name] else { return nil }
            change(&state)
            states[export.name] = state
            return state.record
        }
        try? record?.store(as: export.name, in: writer.configuration.folder)
    }

    private func noteFailure(
        _ error: any Error, of export: ScheduledExport, _ slot: Instant, at now: Instant
    ) -> (FailedSlot, isFirst: Bool) {
        let diagnosis = (error as? any DiagnosedError)?.diagnosis
        let before = record(of: export)?.failed
        let code = diagnosis?.code ?? "io_error"
        let failed = FailedSlot(
            slot: slot, failedAt: now, code: code, message: diagnosis?.sentences ?? "\(error)",
            attempts: (before?.slot == slot ? before?.attempts ?? 0 : 0) + 1)
        note(export) { state in
            state.record.failed = failed
            state.failures[code, default: 0] += 1
            let pause = Self.pauses.lowerBound << min(failed.attempts - 1, 10)
            state.pausedUntil = now.advanced(byMilliseconds: min(pause, Self.pauses.upperBound))
        }
        return (failed, before?.code != code || before?.slot != slot)
    }
}

// MARK: Status

/// The state of an export on a schedule.
package struct ScheduleStatus: Sendable {
    package let name: String
    package let record: ScheduleRecord
    /// The number of failures since the start, by code.
    package let failures: [String: UInt64]
}

extension ExportScheduler {
    package var statuses: [ScheduleStatus] {
        states.withLock { states in
            exports.compactMap { export in
                states[export.name].map {
                    ScheduleStatus(name: export.name, record: $0.record, failures: $0.failures)
                }
            }
        }
    }
}

extension CompletedSlot {
    fileprivate init(_ export: CompletedExport, _ slot: Instant, completedAt: Instant, place: String) {
        self.init(
            slot: slot, completedAt: completedAt, place: place, manifest: export.manifest,
            manifestPath: export.manifestPath, digest: export.digest)
    }
}

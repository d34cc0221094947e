import ProjectionRuntime
import Synchronization

/// The phases that a rebuild reported, each once.
final class Reports: Sendable {
    private let reported = Mutex<[String]>([])

    var phases: [String] { reported.withLock { $0 } }

    func add(_ progress: RebuildProgress) {
        reported.withLock { phases in
            if phases.last != progress.phase.rawValue { phases.append(progress.phase.rawValue) }
        }
    }
}

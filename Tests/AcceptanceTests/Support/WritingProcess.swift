import EventLog
import Testing

/// `crash-writer write` at work, and what its clients have been told.
struct WritingProcess {
    let child: ChildProcess

    init(
        _ folder: DataFolder, seed: UInt64, resume: String, _ options: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        child = try ChildProcess(
            "crash-writer", ["write", folder.path, "--seed", "\(seed)", "--resume", resume] + options,
            environment: environment)
    }

    /// Adds what it tells, until `isEnough` or its end.
    /// - Returns: the positions told.
    @discardableResult
    func read(
        into acknowledged: inout Acknowledgements, until isEnough: (Acknowledgements) -> Bool = { _ in false }
    ) throws -> [UInt64] {
        var positions: [UInt64] = []
        while !isEnough(acknowledged), let line = child.nextLine() { positions += try acknowledged.add(line) }
        return positions
    }

    /// Reads to its end, which must be a good one.
    @discardableResult
    func finish(into acknowledged: inout Acknowledgements) throws -> [UInt64] {
        let positions = try read(into: &acknowledged)
        let ending = child.end()
        try #require(ending == .exited(0), "crash-writer: \(child.standardError)")
        return positions
    }

    /// Waits for its good end, whatever it tells.
    func wait() throws {
        var acknowledged = Acknowledgements()
        try finish(into: &acknowledged)
    }
}

import EventLog
import LedgerStorage
import Testing

/// A running `crash-writer write`, whose output lines contain the answers to its clients.
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

    /// Adds its acknowledgements, until `isEnough` or its end.
    /// - Returns: the positions read.
    @discardableResult
    func read(
        into acknowledged: inout Acknowledgements, until isEnough: (Acknowledgements) -> Bool = { _ in false }
    ) throws -> [UInt64] {
        var positions: [UInt64] = []
        while !isEnough(acknowledged), let line = child.nextLine() { positions += try acknowledged.add(line) }
        return positions
    }

    /// Reads all its output and requires it to exit with 0.
    @discardableResult
    func finish(into acknowledged: inout Acknowledgements) throws -> [UInt64] {
        let positions = try read(into: &acknowledged)
        let ending = child.end()
        try #require(ending == .exited(0), "crash-writer: \(child.standardError)")
        return positions
    }

    /// Requires it to exit with 0, ignoring its acknowledgements.
    func wait() throws {
        var acknowledged = Acknowledgements()
        try finish(into: &acknowledged)
    }
}

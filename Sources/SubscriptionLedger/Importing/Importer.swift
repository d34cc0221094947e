import AppStoreClient
import LedgerConfiguration
import LedgerStorage
import Primitives

/// Takes over a running business by its ids: fills the rows of received files from Apple, with at most half of the calls,
/// after all polls.
///
/// Rows and verdicts are stored in `data/imports/`, so a restart continues there. Nothing is asked or appended
/// twice by importing a file again.
package actor Importer {
    private let ledger: LedgerWriter
    private let connections: [AppStoreConnection]
    private let store: ImportStore
    private let polls: PollStore
    private let concurrency: Int
    /// The files with rows to read, the one that is being read first.
    private var files: [ImportFile] = []
    /// The reader of the first file.
    private var pass: ImportPass?
    /// The rows that Apple is being asked about, those that failed last.
    private var window: [ImportQuestion] = []
    /// The files whose rows were read, while some of them are in the window.
    private var readFiles: [ImportFile] = []
    /// The files with rows that no connection can ask about.
    private var stoppedFiles: Set<ImportFile> = []
    /// The files whose rows are being decided for a caller.
    private var busyFiles: Set<ImportFile> = []
    /// The files whose caller has not begun to read verdicts, with the time of their receipt.
    private var keptFiles: [ImportFile: Instant] = [:]
    /// The number of the next question.
    private var nextNumber = 0

    /// The rows that Apple is asked about at the same time. Each takes several calls.
    private static let windowSize = 256
    /// The rows that a round reads.
    private static let roundSize = 1_024
    private static let batchSize = 64
    /// The rows that wait which are looked up at once.
    private static let lookUpSize = 2_048
    /// The time after which rounds decide a file whose caller left.
    private static let callerTime = Instant.millisecondsPerMinute
    /// The time between two looks at the rows that wait, and between two rounds without work.
    package static let pause = Duration.milliseconds(200)

    /// - Throws: `io_error`, `disk_full`, `log_corrupt` when the imports of the folder cannot be opened.
    package init(
        _ ledger: LedgerWriter, _ connections: [AppStoreConnection], _ polls: PollStore, concurrency: Int = 8
    ) throws {
        self.ledger = ledger
        self.connections = connections
        self.polls = polls
        self.concurrency = concurrency
        store = try ImportStore(ledger.configuration.folder)
        files = try store.openFiles()
    }

    // MARK: - Receiving

    /// Returns a file to write rows to.
    /// - Throws: `io_error`, `disk_full`.
    nonisolated package func incoming(by caller: Caller) throws -> IncomingImport {
        try IncomingImport(in: store.folder, by: caller)
    }

    /// Keeps the rows that were received. They survive a crash from now on, and rounds decide them if nobody calls
    /// `decide` or `follow`.
    /// - Throws: `io_error`, `disk_full`.
    package func keep(_ incoming: sending IncomingImport) throws -> ImportFile {
        let digest = incoming.digest
        let file = ImportFile(digest, store.path(of: digest))
        guard try !store.isComplete(digest) else { return file }
        if !Folder(file.path).exists { try incoming.keep(at: file.path) }
        if isAtRest(file) { keptFiles[file] = now }
        return file
    }

    /// Decides the rows of a file that can be decided without Apple, and reports each with its verdict. The others are
    /// `waiting`, and the next rounds ask about them.
    /// - Throws: the errors of `report`; `StorageError`. The rows of the file are decided nevertheless, by rounds.
    nonisolated package func decide(_ file: ImportFile, report: @concurrent ([ImportLine]) async throws -> Void)
        async throws
    {
        // The last round removes the file. A pass that has opened it continues.
        guard let pass = try pass(over: file) else { return try await reportVerdicts(of: file, report) }
        let isFirst = await begin(file)
        do {
            while let rows = try await pass.next(Self.windowSize, deciding: isFirst) {
                try await report(rows.map { ImportLine(line: $0.line, verdict: verdict(of: $0)) })
            }
        } catch {
            if isFirst { await end(file) }
            throw error
        }
        if isFirst { await end(file) }
    }

    /// Returns nil when every row has a verdict.
    nonisolated private func pass(over file: ImportFile) throws -> ImportPass? {
        do {
            return try store.isComplete(file.digest) ? nil : ImportPass(file, ledger, store)
        } catch  where (try? store.isComplete(file.digest)) == true {
            return nil
        }
    }

    nonisolated private func reportVerdicts(
        of file: ImportFile, _ report: @concurrent ([ImportLine]) async throws -> Void
    ) async throws {
        var last = 0
        while true {
            let lines = try store.verdicts(of: file.digest, after: last, limit: Self.roundSize)
            guard let end = lines.last else { return }
            try await report(lines)
            last = end.line
        }
    }

    nonisolated private func verdict(of row: ImportPass.Row) -> ImportVerdict {
        switch row.outcome {
        case .decided(let verdict): verdict
        case .asked(let row):
            ImportVerdict(.waiting, connections.contains { row.allows($0.app) } ? nil : Self.noConnection)
        }
    }

    /// The code of a row about an app that has no key for the App Store Server API.
    private static let noConnection = AppStoreConnections.none.diagnosis.code

    /// - Returns: false for a file whose rows are being decided already.
    private func begin(_ file: ImportFile) -> Bool {
        keptFiles[file] = nil
        return isAtRest(file) && busyFiles.insert(file).inserted
    }

    private func end(_ file: ImportFile) {
        busyFiles.remove(file)
        stoppedFiles.remove(file)
        files.append(file)
    }

    /// Decides the rows of a file, and follows it until none is `waiting` for a call that will be made. Rounds have to be
    /// made meanwhile.
    /// - Parameter report: receives each row once.
    /// - Throws: as `decide`; `CancellationError`.
    nonisolated package func follow(_ file: ImportFile, report: @concurrent ([ImportLine]) async throws -> Void)
        async throws
    {
        var waiting: [Int] = []
        try await decide(file) { lines in
            waiting += lines.filter { $0.verdict == ImportVerdict(.waiting) }.map(\.line)
            try await report(lines.filter { $0.verdict != ImportVerdict(.waiting) })
        }
        while !waiting.isEmpty {
            let isAtRest = await isAtRest(file)
            let found = try verdicts(of: file, on: waiting, all: isAtRest)
            if found.isEmpty {
                guard !isAtRest else { break }
                try await Task.sleep(for: Self.pause)
            } else {
                let decided = Set(found.map(\.line))
                waiting.removeAll { decided.contains($0) }
                try await report(found)
            }
        }
        let stopped = ImportVerdict(.waiting, connections.lazy.compactMap(\.stop).first?.code)
        try await report(waiting.map { ImportLine(line: $0, verdict: stopped) })
    }

    /// Returns the verdicts on rows that were `waiting`, as far as there are any now. The first lines are looked up, since
    /// rows are asked about in their order.
    /// - Parameter all: whether to look up the other lines as well.
    nonisolated private func verdicts(of file: ImportFile, on lines: [Int], all: Bool) throws -> [ImportLine] {
        try lines.prefix(all ? lines.count : Self.lookUpSize).compactMap { line in
            guard case .decided(let verdict) = try store.state(of: file.digest, line: line) else { return nil }
            return ImportLine(line: line, verdict: verdict)
        }
    }

    /// Whether no round will decide another row of the file until the next start.
    private func isAtRest(_ file: ImportFile) -> Bool {
        !busyFiles.contains(file) && !files.contains(file) && !readFiles.contains(file) && keptFiles[file] == nil
    }

    /// Takes over the files whose caller left before their rows were decided.
    private func takeOverKeptFiles() throws {
        let left = keptFiles.filter { $0.value.advanced(byMilliseconds: Self.callerTime) <= now }.map(\.key)
        for file in left.sorted(by: { $0.digest < $1.digest }) {
            if try !store.isComplete(file.digest) { files.append(file) }
            keptFiles[file] = nil
        }
    }

    nonisolated private var now: Instant { ledger.configuration.clock() }

    // MARK: - Asking

    /// Asks about rows within the budget, one call about each.
    /// - Returns: whether there may be more to do at once.
    /// - Throws: `StorageError`; `CancellationError`.
    package func round() async throws -> Bool {
        try takeOverKeptFiles()
        let hasRead = try await fill()
        dropStopped()
        let hasAsked = try await ask()
        for file in readFiles where !window.contains(where: { $0.file == file }) {
            if !stoppedFiles.contains(file) { try store.complete(file) }
        }
        readFiles.removeAll { file in !window.contains { $0.file == file } }
        return hasRead || hasAsked
    }

    /// Reads rows until enough of them need Apple.
    private func fill() async throws -> Bool {
        var count = 0
        while window.count < Self.windowSize, count < Self.roundSize, let file = files.first {
            let pass = try self.pass ?? ImportPass(file, ledger, store)
            self.pass = pass
            guard let rows = try await nextRows(of: pass) else {
                files.removeFirst()
                readFiles.append(file)
                self.pass = nil
                continue
            }
            count += rows.count
            var asking: [Int: ImportStore.State] = [:]
            for row in rows where !window.contains(where: { $0.file == file && $0.line == row.line }) {
                guard case .asked(let asked) = row.outcome else { continue }
                if let question = ImportQuestion(
                    asked, file: file, line: row.line, caller: pass.caller, isBegun: row.isStored,
                    number: nextNumber, connections)
                {
                    nextNumber += 1
                    window.append(question)
                    asking[row.line] = .asking
                } else {
                    stoppedFiles.insert(file)
                }
            }
            try store.store(asking, of: file.digest)
        }
        return count > 0
    }

    /// Returns the next rows of a pass. After an error, the file is read from its start again: the rows that the pass took
    /// have no verdict.
    private func nextRows(of pass: ImportPass) async throws -> [ImportPass.Row]? {
        do {
            return try await pass.next(Self.batchSize, deciding: true)
        } catch {
            self.pass = nil
            throw error
        }
    }

    /// Drops the rows that no connection can ask about until the next start, so that others take their place.
    private func dropStopped() {
        window.removeAll { question in
            guard question.connection?.stoppedBy != nil else { return false }
            stoppedFiles.insert(question.file)
            return true
        }
    }

    /// The result of a question.
    private struct Asked: Sendable {
        var question: ImportQuestion
        var verdict: ImportVerdict?
        var isFailed = false
        /// An error that is no failure of Apple's.
        var error: (any Error)?
    }

    /// Makes a call about each row of the window, as far as the budget goes.
    /// - Returns: whether any was made.
    private func ask() async throws -> Bool {
        var questions = window[...]
        var waiting: Set<CallBudget.App> = []
        var ids: Set<String> = []
        var kept: [ImportQuestion] = []
        var made: [Asked] = []
        await withTaskGroup(of: Asked.self) { group in
            var running = 0
            while !made.contains(where: { $0.error != nil }), let question = questions.popFirst() {
                // The rows of one id are asked about in their order, so that the first owner wins.
                guard ids.insert(question.id).inserted, let connection = question.connection,
                    question.resumesAt <= now, !waiting.contains(connection.app)
                else {
                    kept.append(question)
                    continue
                }
                if let known = await Self.look(question, ledger) {
                    made.append(known)
                    continue
                }
                guard connection.take(question.endpoint, inBackground: true) == nil else {
                    waiting.insert(connection.app)
                    kept.append(question)
                    continue
                }
                if running == concurrency, let asked = await group.next() {
                    made.append(asked)
                    running -= 1
                }
                group.addTask { [ledger, polls] in await Self.ask(question, ledger, polls) }
                running += 1
            }
            for await asked in group { made.append(asked) }
        }
        kept += questions
        try merge(made, kept)
        return !made.isEmpty
    }

    /// Stores the verdicts, and puts the other questions into the window. None is lost after an error.
    private func merge(_ made: [Asked], _ kept: [ImportQuestion]) throws {
        window = made.map(\.question) + kept
        for (file, asked) in Dictionary(grouping: made, by: \.question.file) {
            let decided = asked.compactMap { asked in
                asked.verdict.map { (asked.question.line, ImportStore.State.decided($0)) }
            }
            try store.store(Dictionary(decided) { first, _ in first }, of: file.digest)
        }
        let open = made.filter { $0.verdict == nil }
        window = Self.inOrder(
            open.filter { !$0.isFailed }.map(\.question) + kept + open.filter(\.isFailed).map(\.question))
        if let error = made.lazy.compactMap(\.error).first { throw error }
    }

    /// Returns the questions with those about one id in the order of their rows, in which the first owner wins.
    private static func inOrder(_ questions: [ImportQuestion]) -> [ImportQuestion] {
        var ordered = questions
        for places in Dictionary(grouping: questions.indices, by: { questions[$0].id }).values where places.count > 1 {
            let sorted = places.map { questions[$0] }.sorted { $0.number < $1.number }
            for (place, question) in zip(places, sorted) { ordered[place] = question }
        }
        return ordered
    }

    /// Decides a row that became known since it was read; nil for any other.
    @concurrent
    private static func look(_ question: ImportQuestion, _ ledger: LedgerWriter) async -> Asked? {
        do {
            return try await question.verdictWithoutAsking(ledger).map { Asked(question: question, verdict: $0) }
        } catch {
            return Asked(question: question, error: error)
        }
    }

    @concurrent
    private static func ask(
        _ question: ImportQuestion, _ ledger: LedgerWriter, _ polls: PollStore
    ) async -> Asked {
        var asked = Asked(question: question)
        do {
            asked.verdict = try await asked.question.ask(ledger, polls)
        } catch is ServerAPIFailure {
            asked.isFailed = true
        } catch {
            asked.error = error
        }
        return asked
    }
}

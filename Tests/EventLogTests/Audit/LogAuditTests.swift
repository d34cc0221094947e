import EventLog
import Glibc
import LedgerStorage
import Primitives
import Synchronization
import Testing

@Suite struct `An audit of the log` {
    /// A change to the log made through LMDB, which does not detect it.
    struct Tampering: Sendable, CustomTestStringConvertible {
        enum Found: Equatable {
            case event(UInt64)
            case structure
            /// Found when the log is opened.
            case opening
        }

        let testDescription: String
        let found: Found
        let change: @Sendable (LogUnderTest) throws -> Void

        init(_ name: String, _ found: Found, _ change: @escaping @Sendable (LogUnderTest) throws -> Void) {
            testDescription = name
            self.found = found
            self.change = change
        }

        /// Rewrites the value at a key.
        static func value(
            _ name: String, _ found: Found, _ database: String, _ key: UInt64,
            _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) -> Tampering {
            Tampering(name, found) { log in
                try log.put(change(try #require(try log.value(at: key, in: database))), at: key, in: database)
            }
        }

        static func meta(
            _ name: String, _ found: Found, _ key: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) -> Tampering {
            Tampering(name, found) { log in
                try log.put(change(try #require(try log.value(at: key, in: "meta"))), at: key, in: "meta")
            }
        }

        static func swap(_ name: String, _ found: Found, _ database: String, _ one: UInt64, _ other: UInt64)
            -> Tampering
        {
            Tampering(name, found) { log in
                let values = [one, other].map { key in (key, key == one ? other : one) }
                let old = try values.map { try #require(try log.value(at: $0.1, in: database)) }
                for ((key, _), value) in zip(values, old) { try log.put(value, at: key, in: database) }
            }
        }
    }

    /// 600 events: two complete tiles and a partial one. Of every ten, one has no evidence and one has evidence that is
    /// not a JWS.
    private static func log() async throws -> LogUnderTest {
        let setup = try LogUnderTest()
        try await setup.writing { log in
            try await log.append(
                (0..<600).map { number in
                    switch number % 10 {
                    case 0: .sample("\(number)", evidence: Evidence.none)
                    case 1: .sample("\(number)", evidence: Evidence(bytes: Array("raw \(number)".utf8)))
                    default: .sample("\(number)")
                    }
                })
        }
        return setup
    }

    static let tamperings: [Tampering] = [
        .value("a record's position", .event(17), "records", 17) { $0.changed(at: 8) },
        .value("a record's recordedAt", .event(17), "records", 17) { $0.changed(at: 16) },
        .value("a record's identity", .event(17), "records", 17) { $0.changed(at: 30) },
        .value("a record's certificate", .event(599), "records", 599) { $0.changed(at: 119) },
        .value("a record's body", .event(17), "records", 17) { $0.changed(at: 153) },
        .value("a record's format", .event(17), "records", 17) { $0.changed(at: 0) },
        .value("a record's length", .event(17), "records", 17) { $0 + [0] },
        .value("a record cut to nothing", .event(17), "records", 17) { _ in [1] },
        .value("a leaf hash", .event(17), "records", 17) { $0.changed(at: -1) },
        .value("a record rewritten with its leaf hash", .event(255), "records", 17) { Self.rewritten($0, at: 152) },
        .value("a record of the last tile rewritten with its leaf hash", .structure, "records", 590) {
            Self.rewritten($0, at: 152)
        },
        .value("a time before the last, with its leaf hash", .event(17), "records", 17) { Self.rewritten($0, at: 20) },
        .swap("two records", .event(17), "records", 17, 18),
        Tampering("a record taken away", .event(17)) { try $0.delete(17, in: "records") },
        Tampering("the last record taken away", .opening) { try $0.delete(599, in: "records") },
        Tampering("a record added", .structure) { log in
            try log.put(try #require(try log.value(at: 599, in: "records")), at: 600, in: "records")
        },
        .value("packed evidence", .event(17), "evidence", 17) { $0.changed(at: 20) },
        .value("the last bit of packed evidence", .event(17), "evidence", 17) { $0.changed(at: -1) },
        .value("raw evidence", .event(11), "evidence", 11) { $0.changed(at: 2) },
        .value("evidence cut to nothing", .event(17), "evidence", 17) { _ in [1] },
        .swap("two pieces of evidence", .event(17), "evidence", 17, 18),
        Tampering("evidence taken away", .event(17)) { try $0.delete(17, in: "evidence") },
        Tampering("evidence added", .structure) { try $0.put([0, 1], at: 20, in: "evidence") },
        .value("a tree node", .event(255), "tree1", 0) { $0.changed(at: 0) },
        .value("a tree node cut short", .event(511), "tree1", 1) { Array($0.dropLast()) },
        Tampering("a tree node taken away", .event(511)) { try $0.delete(1, in: "tree1") },
        Tampering("a tree node added", .structure) { try $0.put([UInt8](repeating: 1, count: 32), at: 2, in: "tree1") },
        Tampering("a tree node of a level that has none", .structure) {
            try $0.put([UInt8](repeating: 1, count: 32), at: 0, in: "tree2")
        },
        .value("a header", .opening, "headers", 0) { $0.changed(at: 3) },
        .value("a header's digest", .opening, "headers", 1) { $0.changed(at: -1) },
        // The third event is the first with a JWS as its evidence.
        Tampering("the headers taken away", .event(2)) { log in
            for key in 0..<5 { try log.delete(UInt64(key), in: "headers") }
        },
        Tampering("a header added behind a gap", .structure) { try $0.put([1], at: 77, in: "headers") },
        .meta("the head's root", .structure, "head") { $0.changed(at: 9) },
        .meta("the head's size, less", .structure, "head") { [0x57] + $0.dropFirst() },
        .meta("the head's size, more", .opening, "head") { [0x59] + $0.dropFirst() },
        .meta("the head's size, far more", .opening, "head") { $0.changed(at: 7) },
        .meta("the head's length", .opening, "head") { Array($0.dropLast()) },
        .meta("the origin", .opening, "origin") { $0.changed(at: 20) },
        .meta("the layout", .opening, "layout") { $0.changed(at: 0) },
        Tampering("the head taken away", .structure) { try $0.delete("head", in: "meta") },
        Tampering("the origin taken away", .opening) { try $0.delete("origin", in: "meta") },
        Tampering("the layout taken away", .opening) { try $0.delete("layout", in: "meta") },
        Tampering("an entry of meta added", .structure) { try $0.put([1], at: "note", in: "meta") },
    ]

    /// A stored record with a changed byte and a recomputed leaf hash.
    private static func rewritten(_ stored: [UInt8], at index: Int) -> [UInt8] {
        let record = Array(stored.dropLast(32)).changed(at: index)
        return record + Digest.sha256(of: [0] + record).bytes
    }

    @Test(arguments: tamperings)
    func `finds`(tampering: Tampering) async throws {
        let setup = try await Self.log()
        try tampering.change(setup)
        do {
            let report = try setup.reading { try LogAudit($0).run() }
            switch report.firstBad {
            case .event(let position, _):
                #expect(.event(position) == tampering.found)
                #expect(report.events == position)
            case .structure: #expect(.structure == tampering.found)
            case nil: Issue.record("nothing found")
            }
        } catch let error as StorageError {
            #expect(error.code == .logCorrupt)
            #expect(.opening == tampering.found)
        }
    }

    @Test func `finds nothing in a log that nobody touched`() async throws {
        let setup = try await Self.log()
        let (seen, reached) = (Positions(), Positions())
        let report = try setup.reading { log in
            let audit = LogAudit(
                log,
                check: { record, evidence in
                    seen.add(record.position)
                    #expect((evidence.verbatim?.count ?? 0) == record.evidenceLength)
                    return .success(())
                }, progress: { reached.add($0) })
            return try audit.run()
        }
        #expect(report.isSound && report.events == 600)
        #expect(report.counts.events == [.signed: 600] && report.counts.configuredRoot == 0)
        #expect(seen.all.sorted() == Array(0..<600))
        #expect(reached.all == [0])
        let empty = try LogUnderTest()
        try await empty.writing { _ in }
        let nothing = try empty.reading { try LogAudit($0).run() }
        #expect(nothing.isSound && nothing.events == 0)
    }

    @Test func `ends at the first event that its caller finds wrong`() async throws {
        let setup = try await Self.log()
        let report = try setup.reading { log in
            let audit = LogAudit(
                log, check: { record, _ in record.position < 33 ? .success(()) : .failure(.init(what: "wrong")) },
                progress: { _ in })
            return try audit.run()
        }
        #expect(report.events == 33)
        #expect(report.firstBad == .event(position: 33, what: "wrong"))
    }

    @Test func `takes what is appended meanwhile for what it is`() async throws {
        let setup = try await Self.log()
        try await setup.writing { log in
            let audit = LogAudit(
                log.reader, check: { _, _ in .success(()) },
                progress: { _ in
                    let more = log.offer(
                        (600..<1_100).map { .sample("\($0)") } + [.sample("none", evidence: Evidence.none)])
                    while (try? log.size()) == 600 { sched_yield() }
                    withExtendedLifetime(more) {}
                })
            let reports = [try audit.run(), try LogAudit(log.reader).run()]
            #expect(reports.map(\.firstBad) == [nil, nil])
            #expect(reports.map(\.events) == [600, 1_101])
        }
    }
}

/// The positions that an audit passes on, from any thread.
private final class Positions: Sendable {
    private let positions = Mutex<[UInt64]>([])

    var all: [UInt64] { positions.withLock { $0 } }

    func add(_ position: UInt64) { positions.withLock { $0.append(position) } }
}

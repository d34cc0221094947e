import AppStoreModel
import AppStoreSimulation
import EventLog
import FoundationEssentials
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `The feed of transitions` {
    private static let now = Instant(milliseconds: SampleArtifact.signedDate)
    private static let month: Int64 = 2_592_000_000
    private static let hour = Instant.millisecondsPerHour

    /// A purchase of one month that starts `hours` after `now`, by default of one Apple account.
    private static func purchase(
        _ id: String, hours: Int64 = 0, group: String = "1", account: String = "704", environment: String = "Production"
    ) -> [UInt8] {
        let start = now.milliseconds + hours * hour
        return SampleArtifact.transaction([
            "transactionId": .string(id), "originalTransactionId": .string(id), "environment": .string(environment),
            "purchaseDate": .integer(start), "originalPurchaseDate": .integer(start), "signedDate": .integer(start),
            "expiresDate": .integer(start + month), "subscriptionGroupIdentifier": .string(group),
            "appTransactionId": .string(account), "transactionReason": .string("PURCHASE"),
        ]).compact
    }

    /// The rows as `sequence id words cause position`, with `backfill` appended unless the mode is live.
    private static func texts(_ rows: [TransitionRow]) throws -> [String] {
        try rows.map { row in
            let view = try (row.after == .null ? row.before : row.after).view
            let mode = row.mode == "live" ? "" : " backfill"
            return "\(row.sequence) \(view["originalTransactionId"]?.string ?? "-") "
                + "\(row.change.joined(separator: ",")) \(row.cause) \(row.position)\(mode)"
        }
    }

    @Test(arguments: ["1", "2"])
    func `has nothing for the other purchases of an Apple account`(group: String) async throws {
        let test = try FeedLedger(at: Self.now)
        try await test.append(Self.purchase("10"))
        try await test.append(Self.purchase("20", hours: -1, group: group))
        try await test.append(Self.purchase("30", account: "705"))
        #expect(
            try Self.texts(test.rows())
                == ["0 10 started transaction 0", "1 20 started transaction 1", "2 30 started transaction 2"])
    }

    @Test func `has rows that time makes, each as it falls due`() async throws {
        let test = try FeedLedger(at: Self.now)
        try await test.append(Self.purchase("10"))
        try await test.append(Self.purchase("20", hours: -2, account: "705"))
        var cursor: TransitionCursor?
        #expect(try test.rows(after: &cursor).count == 2)
        let end = Self.now.advanced(byMilliseconds: Self.month)
        test.clock.now = end.advanced(byMilliseconds: -2 * Self.hour - 1)
        #expect(try test.rows(after: &cursor).isEmpty)
        test.clock.now = end
        let rows = try test.rows(after: &cursor)
        #expect(
            try Self.texts(rows) == [
                "2 20 awaitingRenewal time 1", "3 20 expired time 1", "4 10 awaitingRenewal time 1",
            ])
        #expect(rows.map(\.recordedAt) == rows.map(\.effectiveAt))
        #expect(rows.last?.recordedAt == end)
        let (before, after) = (try #require(rows.last).before, try #require(rows.last).after)
        #expect(try before.view["reason"]?.string == "paid" && after.view["reason"]?.string == "awaitingRenewal")
    }

    @Test func `puts rows that time makes before the events recorded later, and after those of their instant`()
        async throws
    {
        let test = try FeedLedger(at: Self.now)
        let end = Self.now.advanced(byMilliseconds: Self.month)
        try await test.append(Self.purchase("10"))
        test.clock.now = end
        try await test.append(Self.purchase("20", account: "705"))
        test.clock.now = end.advanced(byMilliseconds: Self.hour + 1)
        try await test.append(Self.purchase("30", account: "706"))
        let rows = try Self.texts(test.rows())
        #expect(
            rows == [
                "0 10 started transaction 0", "1 20 started transaction 1 backfill", "2 20 awaitingRenewal time 1",
                "3 10 awaitingRenewal time 1", "4 10 expired time 1", "5 20 expired time 1",
                "6 30 started transaction 2 backfill", "7 30 awaitingRenewal time 2", "8 30 expired time 2",
            ])
        let stored = try test.storedRows()
        try test.rebuild()
        #expect(try test.storedRows() == stored)
    }

    @Test func `keeps later events behind the rows that time made`() async throws {
        let test = try FeedLedger(at: Self.now)
        let end = Self.now.advanced(byMilliseconds: Self.month)
        try await test.append(Self.purchase("10"))
        test.clock.now = end.advanced(byMilliseconds: 5)
        #expect(try test.rows().count == 2)
        // The clock moves back, and the reopened ledger appends.
        test.close()
        test.clock.now = Self.now
        try test.open()
        try await test.append(Self.purchase("20", account: "705"))
        #expect(try test.ledger.reader.log.record(at: 1)?.recordedAt == end.advanced(byMilliseconds: 1))
        let rows = try test.storedRows()
        try test.rebuild()
        #expect(try test.storedRows() == rows)
    }

    @Test func `has the rows of one environment, and numbers over all`() async throws {
        let test = try FeedLedger(at: Self.now)
        for (id, environment) in [("1", "Sandbox"), ("2", "Production"), ("3", "Sandbox"), ("4", "Production")] {
            try await test.append(Self.purchase(id, account: id, environment: environment))
        }
        #expect(try test.rows().map(\.sequence) == [1, 3])
        #expect(try test.rows(environment: .sandbox).map(\.sequence) == [0, 2])
    }

    @Test func `is another sequence under other rules`() async throws {
        let test = try FeedLedger(at: Self.now)
        try await test.append(Self.purchase("10"))
        var cursor: TransitionCursor?
        _ = try test.rows(after: &cursor)
        try test.reopen()
        #expect(try test.rows(after: &cursor).isEmpty)
        test.close()
        try test.open { $0.rules.access.ownGraceDays = 1 }
        #expect(throws: TransitionCursorError.ofAnotherLog) { try test.rows(after: &cursor) }
        #expect(try test.rows().count == 1)
    }

    @Test func `appends rows where activated rules change the history, and renumbers none`() async throws {
        let test = try FeedLedger(at: Self.now)
        try await test.append(Self.purchase("10"))
        try await test.append(Self.purchase("20", hours: 12, account: "705"))
        let end = Self.now.advanced(byMilliseconds: Self.month)
        test.clock.now = end.advanced(byMilliseconds: Self.hour / 2)
        var cursor: TransitionCursor?
        let first = try Self.texts(test.rows(after: &cursor))
        #expect(first.last == "2 10 awaitingRenewal time 1")
        try await test.activate { $0.access.renewalLeewayMinutes = 0 }
        let rows = try test.rows(after: &cursor)
        #expect(try Self.texts(rows) == ["3 10 expired time 2"])
        #expect(rows.map(\.effectiveAt) == [end])
        #expect(rows.map(\.recordedAt) == [test.clock.now])
        try await test.activate { $0.access.renewalLeewayMinutes = 1_440 }
        // The last row is sent again, although it is an earlier one: the client holds the state that no longer applies.
        #expect(try Self.texts(test.rows(after: &cursor)) == ["4 10 awaitingRenewal time 3"])
        test.clock.now = end.advanced(byMilliseconds: 24 * Self.hour)
        #expect(
            try Self.texts(test.rows(after: &cursor))
                == ["5 20 awaitingRenewal time 3", "6 10 expired time 3"])
        let stored = try test.storedRows()
        try test.rebuild()
        #expect(try test.storedRows() == stored)
    }

    @Test func `has no row where activated rules change nothing`() async throws {
        let test = try FeedLedger(at: Self.now)
        try await test.append(Self.purchase("10"))
        var cursor: TransitionCursor?
        #expect(try test.rows(after: &cursor).count == 1)
        try await test.activate { $0.access.ownGraceDays = 3 }
        #expect(try test.rows(after: &cursor).isEmpty)
        try await test.append(Self.purchase("20", account: "705"))
        #expect(try Self.texts(test.rows(after: &cursor)) == ["1 20 started transaction 2"])
    }

    /// More subscriptions than one transaction reviews.
    @Test func `reviews every subscription after an activation, also across a restart`() async throws {
        let test = try FeedLedger(at: Self.now)
        for id in 100..<400 { try await test.append(Self.purchase("\(id)", account: "\(id)")) }
        test.clock.now = Self.now.advanced(byMilliseconds: Self.month)
        var cursor: TransitionCursor?
        #expect(try test.rows(after: &cursor).count == 600)
        try await test.activate { $0.access.renewalLeewayMinutes = 0 }
        try test.reopen()
        let rows = try test.rows(after: &cursor)
        #expect(rows.count == 300 && rows.allSatisfy { $0.change == ["expired"] && $0.position == 300 })
        let stored = try test.storedRows()
        try test.rebuild()
        #expect(try test.storedRows() == stored)
    }

    @Test func `refuses the cursors of a history that a restored backup lacks`() async throws {
        let test = try FeedLedger(at: Self.now)
        try await test.append(Self.purchase("10"))
        let backup = test.folder.path + ".backup"
        try LedgerBackup(of: test.ledger.reader, withSecrets: true).copy(to: backup) { _, _ in }
        try await test.append(Self.purchase("20"))
        var cursor: TransitionCursor?
        _ = try test.rows(after: &cursor)
        let restored = try FeedLedger(at: Self.now, restoring: backup)
        #expect(throws: TransitionCursorError.ahead(count: 2, end: 1)) { try restored.rows(after: &cursor) }
        try await restored.append(Self.purchase("30"))
        #expect(throws: TransitionCursorError.ofAnotherLog) { try restored.rows(after: &cursor) }
    }

    @Test func `is made again where its folder is damaged or of a longer log`() async throws {
        let test = try FeedLedger(at: Self.now)
        try await test.append(Self.purchase("10"))
        let rows = try test.storedRows()
        test.close()
        try test.damageFeed()
        try test.open()
        #expect(try test.storedRows() == rows)
        let other = try FeedLedger(at: Self.now)
        try await other.append(Self.purchase("30"))
        try await other.append(Self.purchase("40"))
        _ = try other.storedRows()
        other.close()
        test.close()
        try test.takeFeed(of: other)
        try test.open()
        #expect(try test.storedRows() == rows)
    }

    @Test func `is built at once when it is missing and the log is long`() async throws {
        let test = try FeedLedger(at: Self.now)
        let count = 2_100
        try await test.append((1...count).map { Self.purchase("\($0)", account: "\($0)") })
        test.close()
        // The remains of a rebuild that was killed before its end, and of one that was killed after it.
        for remains in [".building", ".old"].map({ test.folder.transitions + $0 }) {
            try FileManager.default.createDirectory(atPath: remains, withIntermediateDirectories: false)
            try Data([1, 2, 3]).write(to: URL(filePath: remains + "/data.mdb"))
            try FileManager.default.createDirectory(atPath: remains + "/new", withIntermediateDirectories: false)
        }
        try test.open()
        #expect(try test.rows().map(\.position) == (0..<count).map { UInt64($0) })
        let names = try FileManager.default.contentsOfDirectory(atPath: test.folder.derived)
        #expect(names.filter { $0.hasPrefix("transitions") } == ["transitions"])
    }

    /// A purchase of one hour, for the customer of a token.
    private static func hour(_ number: Int64, token: String, charged: Int64) -> [UInt8] {
        let start = now.milliseconds + number * hour
        return SampleArtifact.transaction([
            "transactionId": .string("1\(number)"), "originalTransactionId": .string("10"),
            "environment": .string("Production"), "purchaseDate": .integer(start),
            "signedDate": .integer(now.milliseconds + charged), "expiresDate": .integer(start + hour),
            "transactionReason": .string(number == 0 ? "PURCHASE" : "RENEWAL"),
            "appAccountToken": .string(token.uppercased()),
        ]).compact
    }

    @Test func `names the owners, and has a row when a token that Apple signed ahead comes into force`() async throws {
        let test = try FeedLedger(at: Self.now)
        try await test.append(Self.hour(0, token: token("a"), charged: 0))
        test.clock.now = Self.now.advanced(byMilliseconds: Self.hour / 2)
        try await test.append(Self.hour(1, token: token("b"), charged: Self.hour / 2))
        #expect(try test.rows().map(\.customers) == [[token("a")], [token("a")]])
        test.clock.now = Self.now.advanced(byMilliseconds: Self.hour)
        let last = try #require(try test.rows().last)
        #expect(last.customers == [token("b")])
        #expect(last.change == ["renewed", "linked", "unlinked"])
        #expect(last.effectiveAt == test.clock.now)
        let rows = try test.storedRows()
        try test.rebuild()
        #expect(try test.storedRows() == rows)
    }

    @Test func `counts the statuses signed by Apple that the ledger's answer differs from`() async throws {
        let test = try FeedLedger(at: Self.now)
        let uuid = JSONValue.string("15101c57-7b3d-49c2-8adf-74ac2740ea8d")
        for (artifact, expected) in [
            (SampleArtifact.notification(status: 1), 0),
            (SampleArtifact.notification(["notificationUUID": uuid], status: 2), 1),
        ] as [(SignedJWS, UInt64)] {
            try await test.append(artifact.compact)
            _ = try test.storedRows()
            #expect(try test.ledger.transitions().disagreementCount() == expected)
        }
        try test.rebuild()
        _ = try test.storedRows()
        #expect(try test.ledger.transitions().disagreementCount() == 1)
    }
}

@Suite struct `A cursor of the transitions` {
    @Test(arguments: [
        "", "0", "-1", "00000000.0", "00000000.0.0", "0000000g.0.00000000", "00000000.-1.00000000",
        "00000000.00.00000000", "0000000A.0.00000000", "00000000.0.00000000.", "00000000.18446744073709551616.00000000",
    ])
    func `is no other text`(text: String) {
        #expect(TransitionCursor(text) == nil)
    }

    @Test(arguments: ["00000000.0.00000000", "0a1b2c3d.18446744073709551615.ffffffff"])
    func `is its text`(text: String) {
        #expect(TransitionCursor(text)?.text == text)
    }
}

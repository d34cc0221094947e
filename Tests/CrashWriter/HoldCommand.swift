import ArgumentParser
import EventLog
import Glibc
import LMDB
import LedgerStorage
import Primitives

/// Reads a snapshot of the log and keeps it open until the end of standard input, then reads it again. Output:
///
///     holding SIZE
///     same | changed
struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "hold")

    @Argument(help: "The ledger's folder.")
    var folder: String

    func run() throws {
        var options = LMDB.Environment.Options()
        options.readOnly = true
        let environment = try LMDB.Environment(directory: DataFolder(path: folder).log, options: options)
        let records = try environment.openDatabase("records", flags: .integerKey)
        let transaction = try environment.beginRead()
        let before = try Self.contents(transaction, records)
        Output.write("holding \(before.count)\n")
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) > 0 {}
        let after = try Self.contents(transaction, records)
        Output.write(after == before ? "same\n" : "changed\n")
    }

    private static func contents(_ transaction: borrowing ReadTransaction, _ database: Database) throws -> [Digest] {
        var digests: [Digest] = []
        var cursor = try transaction.cursor(in: database)
        while let entry = try cursor.next() {
            digests.append(entry.value.withUnsafeBytes { .sha256(of: Array($0)) })
        }
        return digests
    }
}

import AppStoreSimulation
import ArgumentParser
import FoundationEssentials
import Primitives

@main
struct SampleHistory: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample-history",
        abstract: "Write a small signed history for Tools/run.",
        discussion: """
            Writes root.der to trust, notifications/NNN.json to post in their order, and transactions.json, what the \
            device of one customer posts. Prints that customer's originalTransactionId.
            """)

    @Argument(help: "Where to.")
    var folder: String

    func run() throws {
        let folder = URL(filePath: folder, directoryHint: .isDirectory)
        let notifications = folder.appending(path: "notifications")
        try FileManager.default.createDirectory(at: notifications, withIntermediateDirectories: true)

        var story = SampleStory(endingAt: Self.now)
        story.happen()
        let signer = JWSSigner()
        let signed = story.store.history.artifacts.filter { $0.kind == .notification }.map { signer.sign($0) }
        for (index, artifact) in signed.enumerated() {
            guard let body = artifact.body else { continue }
            let number = String(1_000 + index).dropFirst()
            try Data(body).write(to: notifications.appending(path: "\(number).json"))
        }

        let subscription = story.store.originalTransactionId(of: story.renewing)
        let newest = signed.last { $0.unsigned.originalTransactionId == subscription && $0.transaction != nil }
        let transactions = [newest?.transaction].compactMap { $0.map { JSONValue.string($0.text) } }
        let posting = JSONValue.object(["customerId": .string("alice"), "signedTransactions": .array(transactions)])
        try Data(posting.serialized().utf8).write(to: folder.appending(path: "transactions.json"))
        try Data(signer.authority.rootCertificate).write(to: folder.appending(path: "root.der"))
        print(subscription)
    }

    private static var now: Instant {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}

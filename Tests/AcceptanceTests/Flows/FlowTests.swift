import LedgerTesting
import Testing

/// The flows of the talks "Best Practices and What's New with In-App Purchases" (WWDC18, 704), "Engineering Subscriptions"
/// (WWDC18, 705) and "Implement proactive in-app purchase restore" (Tech Talk 110404), and of Apple's article "Processing
/// a Transaction": an app, its server and an App Store, played over HTTP on one clock.
@Suite struct `The flows of the talks` {
    /// A flow by its number, in one form of the app.
    struct Flow: CustomTestStringConvertible {
        let number: Int
        let form: String

        var testDescription: String { "flow \(number) with \(form)" }

        /// Flows about receipts themselves.
        private static let aboutReceipts = 8...11

        static let all = (1...30).flatMap { number in
            let forms = aboutReceipts.contains(number) ? ["receipts"] : ["transactions", "receipts"]
            return forms.map { Flow(number: number, form: $0) }
        }
    }

    @Test(arguments: Flow.all)
    func `plays`(_ flow: Flow) async throws {
        try await blocking {
            let folder = try TemporaryFolder()
            let binaries = try ChildProcess.folder()
            _ = try Python.lines(
                Python.path(of: "play.py", beside: #filePath),
                [
                    binaries + "/appstore-simulator", binaries + "/subledger", folder.path, "\(flow.number)", flow.form,
                ])
        }
    }
}

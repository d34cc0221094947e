import EventLog
import LedgerStorage
import Primitives
import Testing
import TransparencyLog

@Suite struct `A reading process` {
    /// Appends from another process, as the server does while a command reads.
    private func appendElsewhere(_ keys: Range<Int>, to folder: DataFolder) async {
        let (path, first, last) = (folder.path, keys.lowerBound, keys.upperBound)
        await #expect(processExitsWith: .success) { [path = path as String, first = first as Int, last = last as Int] in
            let configuration = LogWriter.Configuration(
                log: LogConfiguration(directory: path + "/log"), duplicateIndex: path + "/derived/identities"
            ) { Instant(milliseconds: 1_768_478_400_000) }
            let log = try LogWriter(configuration) { _ in }
            for key in first..<last {
                // Each event has a header that the reader has not seen.
                let jws = SampleJWS(
                    header: Array("header \(key)".utf8), payload: Array("payload \(key)".utf8),
                    signature: [UInt8](repeating: 1, count: 64))
                try await log.append([.sample("\(key)", evidence: jws.evidence)])
            }
            log.close()
        }
    }

    @Test func `sees what the writing one has committed since, with its evidence`() async throws {
        let setup = try LogUnderTest()
        await appendElsewhere(0..<3, to: setup.folder)
        let log = try LogReader(setup.configuration().log)
        #expect(try log.size() == 3)
        await appendElsewhere(3..<300, to: setup.folder)
        let head = try log.head()
        #expect(head.size == 300)
        #expect(head.root == MerkleTree.root(of: try log.leafHashes()))
        for position in [0, 2, 3, 299] as [UInt64] {
            let text = String(decoding: try #require(try log.evidence(at: position)), as: UTF8.self)
            #expect(text.hasPrefix("header \(position)."))
        }
        var texts: [String] = []
        _ = try log.forEach(from: 290, below: 300) {
            texts.append(String(decoding: ($1.verbatim ?? []).prefix(10), as: UTF8.self))
        }
        #expect(texts == (290..<300).map { "header \($0)" })
        #expect(try log.record(at: 300) == nil)
        let report = try LogAudit(log).run()
        #expect(report.isSound && report.events == 300)
    }

    @Test func `needs a log that is there`() throws {
        let setup = try LogUnderTest()
        let error = #expect(throws: StorageError.self) { try setup.reading { _ in } }
        #expect(error?.code == .ioError)
    }
}

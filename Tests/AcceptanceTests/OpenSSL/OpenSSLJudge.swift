import LedgerTesting
import Primitives
import Testing

/// The opinion of OpenSSL about receipts.
struct OpenSSLJudge {
    /// For each receipt the SHA-256 of its verified content, in hex, or `refused`.
    private(set) var judgements: [String]
    private let folder: TemporaryFolder

    init(_ receipts: [[UInt8]], root: [UInt8]) throws {
        folder = try TemporaryFolder()
        let pem = "-----BEGIN CERTIFICATE-----\n\(Self.lines(Base64.encode(root)))\n-----END CERTIFICATE-----\n"
        try File.write(Array(pem.utf8), to: "\(folder.path)/root.pem")
        for (number, receipt) in receipts.enumerated() {
            try File.write(receipt, to: "\(folder.path)/\(number).der")
        }
        let shell = try ChildProcess(
            "/bin/bash", [Python.path(of: "judge.sh", beside: #filePath), folder.path])
        shell.closeInput()
        let judged = shell.remainingLines().map { $0.split(separator: " ").map(String.init) }
        try #require(shell.end() == .exited(0) && judged.count == receipts.count, "\(shell.standardError)")
        judgements = [String](repeating: "", count: receipts.count)
        for line in judged { judgements[try #require(Int(line[0]))] = line[1] }
    }

    /// Returns the content that OpenSSL has verified.
    func content(_ number: Int) throws -> [UInt8] { try File.read("\(folder.path)/\(number).der.content") }

    private static func lines(_ base64: String) -> String {
        var lines: [Substring] = []
        var rest = base64[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return lines.joined(separator: "\n")
    }
}

import ArgumentParser
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

struct AnchorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anchor",
        abstract: "Have checkpoints stamped with the time by an independent authority (RFC 3161).",
        discussion: """
            An anchor proves that the events below its size existed at a time, even against the holder of the key that \
            signs checkpoints. `audit verify` fails when the log no longer begins with them. Keep copies of anchors/ \
            out of the operator's reach.

            --request stores a checkpoint and writes the request. Send it to an authority. --response verifies the \
            answer and stores it. The roots of the authority are needed once; later responses may rest on them too.

            EXAMPLES
              subledger audit anchor --request request.tsq
              curl -H "Content-Type: application/timestamp-query" --data-binary @request.tsq URL > response.tsr
              subledger audit anchor --response response.tsr --tsa-root tsa-root.pem
              subledger audit anchor --list
            """)

    @Option(help: ArgumentHelp("Write a request for the current checkpoint (- for stdout).", valueName: "file"))
    var request: String?

    @Option(help: ArgumentHelp("Verify and store the response to a request (- for stdin).", valueName: "file"))
    var response: String?

    @Flag(help: "List the anchors.")
    var list = false

    @Option(
        name: .customLong("tsa-root"),
        help: "Root certificates (PEM) of the authority (default: those of earlier responses).")
    var tsaRoot: String?

    @Option(
        name: .customLong("tsa-chain"),
        help: "Further certificates (PEM) of the authority, if the response does not contain them.")
    var tsaChain: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard [request != nil, response != nil, list].count(where: { $0 }) == 1 else {
            throw CommandFailure(usage: "exactly one of --request, --response and --list is required")
        }
        guard response != nil || (tsaRoot ?? tsaChain) == nil else {
            throw CommandFailure(usage: "--tsa-root and --tsa-chain require --response")
        }
        if let request { try writeRequest(to: request) }
        if let response { try accept(response) }
        if list { print(try ledger.reading().anchors()) }
    }

    private func writeRequest(to file: String) throws {
        let (anchor, request) = try ledger.reading().requestAnchor(nonce: .random(in: 0...UInt64.max))
        if file == "-" {
            Terminal.standardOutput.write(request)
        } else {
            try AtomicFile.write(request, to: file)
            print(anchor)
        }
        let name = file == "-" ? "REQUEST" : file
        guard !output.quiet else { return }
        Terminal.standardError.write(
            """
            Send the request, and store the response:
              curl -H "Content-Type: application/timestamp-query" --data-binary @\(name) URL > RESPONSE
              subledger audit anchor --response RESPONSE --tsa-root PEM

            """)
    }

    private func accept(_ file: String) throws {
        print(
            try ledger.reading().acceptAnchor(
                response: Self.bytes(of: file), roots: try tsaRoot.map(Self.bytes),
                intermediates: try tsaChain.map(Self.bytes)))
    }

    private func print(_ anchor: AnchorRow) {
        switch output.effectiveFormat {
        case .json: Terminal.standardOutput.write(anchor.json.serialized() + "\n")
        case .table: Terminal.standardOutput.write(AnswerTable.members(of: anchor.json))
        }
    }

    private func print(_ anchors: [AnchorRow]) {
        switch output.effectiveFormat {
        case .json:
            Terminal.standardOutput.write(JSONValue.object(["anchors": anchors.json]).serialized() + "\n")
        case .table:
            Terminal.standardOutput.write(
                anchors.isEmpty
                    ? "no anchors\n"
                    : AnswerTable.table(anchors.map(\.json), ["size", "state", "genTime", "tsa", "problem"]))
        }
    }

    /// Reads a response or a file of certificates. The limit is above that of what is accepted.
    static func bytes(of path: String) throws -> [UInt8] {
        do throws(InputFailure) {
            return try InputFile.bytes(of: path, limit: byteLimit)
        } catch {
            throw CommandFailure(
                code: "io_error", message: "\(path) cannot be read", found: error.reason, exitCode: CommandFailure.io)
        }
    }

    private static let byteLimit = 1 << 20
}

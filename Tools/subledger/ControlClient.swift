import AppStoreModel
import HTTPTypes
import Ingestion
import LedgerServer
import LedgerStorage
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import Primitives
import SubscriptionLedger

/// Passes each artifact to its parameter, in order.
typealias ArtifactSource = @Sendable (_ add: (FoundArtifact) async throws -> Void) async throws -> Void

/// Hands commands over to the service that has the ledger open.
struct ControlClient {
    let configuration: Ledger.Configuration
    /// The error that this process gets for the lock of the folder.
    let locked: StorageError

    func apply(_ change: CustomerChange, to id: String, scope: CustomerScope) async throws -> JSONValue {
        var path = "/v1/customers/\(PercentEncoding.encode(id))/\(change.kind.rawValue)"
        path += "?environment=\(PercentEncoding.encode(scope.environment.rawValue))"
        if let bundleId = scope.bundleId { path += "&bundleId=\(PercentEncoding.encode(bundleId))" }
        return try await answer(to: change.body, at: path)
    }

    /// - Parameter report: receives the share that is done.
    func erase(_ request: ErasureRequest, report: (Double) -> Void) async throws -> JSONValue {
        var answer: JSONView?
        try await post("/control/customers/\(PercentEncoding.encode(request.id))/erase") { body in
            try await body.write(request.body)
        } receiving: { lines in
            for line in lines {
                if let share = ReconcileRequest.share(line) { report(share) } else { answer = line }
            }
        }
        guard let answer else { throw ConnectionEnded.failure }
        return JSONValue(answer)
    }

    func activate(_ request: ActivationRequest) async throws -> JSONValue {
        try await answer(to: request.json, at: "/control/rules")
    }

    func applyCatalog(_ request: FileRequest) async throws -> JSONValue {
        try await answer(to: request.json, at: "/control/catalog")
    }

    func applyRates(_ request: FileRequest) async throws -> JSONValue {
        try await answer(to: request.json, at: "/control/rates")
    }

    func close(_ numbers: ClosingNumbers) async throws -> JSONValue {
        try await answer(to: numbers.json, at: "/control/close")
    }

    func poll(_ request: PollRequest) async throws -> JSONValue {
        try await answer(to: request.json, at: "/control/poll")
    }

    /// - Parameter report: receives the share that is done.
    func reconcile(_ request: ReconcileRequest, report: (Double) -> Void) async throws -> JSONValue {
        var answer: JSONView?
        try await post("/control/reconcile") { body in
            try await body.write(request.json)
        } receiving: { lines in
            for line in lines {
                if let share = ReconcileRequest.share(line) { report(share) } else { answer = line }
            }
        }
        guard let answer else { throw ConnectionEnded.failure }
        return JSONValue(answer)
    }

    /// - Parameter report: receives each row with its verdict.
    func importRows(at path: String, counting count: LineCount, report: ([ImportLine]) -> Void) async throws {
        try await post("/control/imports") { body in
            try await body.write(fileAt: path, counting: count)
        } receiving: { lines in
            report(lines.compactMap { ImportLine($0) })
        }
    }

    /// - Parameter report: receives each row of the export, compared.
    func compareRevenueCat(
        at path: String, counting count: LineCount, report: ([JSONValue]) -> Void
    ) async throws {
        try await post("/control/imports/revenuecat") { body in
            try await body.write(fileAt: path, counting: count)
        } receiving: { lines in
            report(lines.map { JSONValue($0) })
        }
    }

    private func answer(to line: JSONValue, at path: String) async throws -> JSONValue {
        var answer: JSONView?
        try await post(path) { body in
            try await body.write(line)
        } receiving: { lines in
            answer = lines.last
        }
        guard let answer else { throw ConnectionEnded.failure }
        return JSONValue(answer)
    }

    func ingest(
        _ request: IngestRequest, _ artifacts: @escaping ArtifactSource,
        report: ([IngestPipeline.Result]) throws -> Void
    ) async throws {
        try await post("/control/ingest") { body in
            try await body.write(request.json)
            try await artifacts { found in try await body.write(found.json) }
        } receiving: { lines in
            try report(try lines.map { try IngestPipeline.Result($0) })
        }
    }
}

/// The end of a connection before the end of the response.
private struct ConnectionEnded: Error {
    static let failure = StorageError(
        .ioError, "the running service ended the connection", expected: "a complete answer", found: "a part of it",
        hint: "Run the command again. Artifacts already appended are duplicates.")
}

/// The body of a request, written as JSON lines.
private struct RequestLines {
    let outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>

    /// Waits while the service does not read.
    func write(_ line: JSONValue) async throws {
        var bytes: [UInt8] = []
        line.write(to: &bytes, canonical: false)
        bytes.append(UInt8(ascii: "\n"))
        try await write(.body(ByteBuffer(bytes: bytes)))
    }

    func write(fileAt path: String, counting count: LineCount) async throws {
        var chunks = try ChunkReader(path: path)
        while let chunk = try chunks.next() {
            count.add(chunk)
            try await write(.body(ByteBuffer(bytes: chunk)))
        }
    }

    func write(_ part: HTTPRequestPart) async throws {
        do { try await outbound.write(part) } catch { throw ConnectionEnded() }
    }
}

extension ControlClient {
    /// Posts a body while reading the response, so that neither side waits for the other.
    ///
    /// - Parameter receive: called with the next lines of the response.
    /// - Throws: `locked` when no service accepts connections; the failure that a line reports; `io_error` when the
    ///   connection ends early; errors of the closures.
    private func post(
        _ path: String, send: @escaping @Sendable (RequestLines) async throws -> Void,
        receiving receive: ([JSONView]) throws -> Void
    ) async throws {
        let head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: path)
        let channel = try await connect()
        let connection = channel.channel
        try await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let lines = RequestLines(outbound: outbound)
                    do {
                        try await lines.write(.head(head))
                        try await send(lines)
                        try await lines.write(.end(nil))
                    } catch let error where !(error is ConnectionEnded) {
                        // The service must not take a failure of the input for its end.
                        connection.close(promise: nil)
                        throw error
                    }
                }
                do {
                    try await Self.read(inbound, receive)
                } catch is ConnectionEnded {
                    while let result = await group.nextResult() {
                        if case .failure(let error) = result, !(error is ConnectionEnded) { throw error }
                    }
                    throw ConnectionEnded.failure
                }
            }
        }
    }

    private func connect() async throws -> NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart> {
        let socket = try ControlSocket(configuration.folder)
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: socket.address) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPClientCodec())
                        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw locked
        }
    }

    private static func read(
        _ inbound: NIOAsyncChannelInboundStream<HTTPResponsePart>, _ receive: ([JSONView]) throws -> Void
    ) async throws {
        var parts = inbound.makeAsyncIterator()
        var buffer = ByteBuffer()
        while true {
            let part: HTTPResponsePart?
            do { part = try await parts.next() } catch { throw ConnectionEnded() }
            switch part {
            case .head: break
            case .body(var piece):
                buffer.writeBuffer(&piece)
                var lines: [JSONView] = []
                while let line = buffer.readLine() { lines.append(try json(line)) }
                if !lines.isEmpty { try receive(lines) }
            case .end:
                // A single answer has no line feed.
                if buffer.readableBytes > 0 { try receive([json(Array(buffer.readableBytesView))]) }
                return
            case nil: throw ConnectionEnded()
            }
        }
    }

    /// - Throws: the failure that the line reports.
    private static func json(_ line: [UInt8]) throws -> JSONView {
        guard let json = try? JSONDocument(parsing: line).root else { throw ConnectionEnded() }
        if let failure = CommandFailure(problem: json) { throw failure }
        return json
    }
}

extension ByteBuffer {
    /// Removes the first line and returns it without its line feed; nil without a complete line.
    fileprivate mutating func readLine() -> [UInt8]? {
        guard let end = readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = readBytes(length: end - readerIndex)
        moveReaderIndex(forwardBy: 1)
        discardReadBytes()
        return line
    }
}

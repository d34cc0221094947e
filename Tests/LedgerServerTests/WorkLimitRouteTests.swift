import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LedgerServer
import Primitives
import Testing

@Suite struct WorkLimitRouteTests {
    @Test(
        arguments: [
            "/v1/events", "/v1/evidence", "/v1/transitions?environment=Sandbox", "/v1/events?type=TEST",
            "/v1/subscriptions/\(Sample.originalTransactionId)",
            "/v1/subscriptions/\(Sample.originalTransactionId)/history",
            "/v1/subscriptions/\(Sample.originalTransactionId)/customer",
        ])
    func `an answer that takes longer than its time is 503`(_ uri: String) async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        try await test.calls { client in
            #expect(try await client.get(uri).status == .ok)
            // Each step of the work now takes as long as the time limit.
            test.time.advanceWithEachReading(by: .seconds(30))
            try await client.get(uri).expectProblem("time_limit_exceeded", .serviceUnavailable)
        }
    }

    @Test func `the work for a client ends when the client leaves`() async throws {
        let test = try TestLedger()
        let (events, continuation) = AsyncStream.makeStream(of: EndlessRoute.Event.self)
        try await LiveServer.run(test.server, extraRoutes: [EndlessRoute(events: continuation)]) { live in
            try await live.connect { connection in
                try await connection.get("/endless")
                #expect(await events.first { _ in true } == .started)
            }
            #expect(await events.first { _ in true } == .ended(.clientGone))
        }
    }

    @Test func `blocking work ends when its task is cancelled`() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            try await BlockingWork.run {
                continuation.yield()
                while true { try WorkLimit.check() }
            }
        }
        _ = await events.first { true }
        work.cancel()
        await #expect(throws: WorkStopped.cancelled) { try await work.value }
    }
}

/// A route that works until it is stopped.
private struct EndlessRoute: Route {
    enum Event: Equatable {
        case started
        case ended(WorkStopped)
    }

    let method = HTTPRequest.Method.get
    let template = "/endless"
    let access = Access.anybody
    let events: AsyncStream<Event>.Continuation

    func respond(to call: RouteRequest) async throws -> Response {
        events.yield(.started)
        do {
            while true {
                try WorkLimit.check()
                await Task.yield()
            }
        } catch {
            events.yield(.ended(error))
            throw error
        }
    }
}

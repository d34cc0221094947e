import LedgerServer
import ServiceLifecycle
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ShutdownLimitTests {
    /// A service that reacts to no shutdown until it is released.
    private struct StubbornService: Service {
        let isReleased: AsyncStream<Void>

        func run() async throws { for await _ in isReleased {} }
    }

    @Test func `calls back when a service does not stop in time, and only then`() async throws {
        let (isReleased, release) = AsyncStream.makeStream(of: Void.self)
        let timeouts = Mutex(0)
        let limit = ShutdownLimit(.milliseconds(100)) {
            timeouts.withLock { $0 += 1 }
            release.finish()
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: StubbornService(isReleased: isReleased)),
                    .init(service: limit, successTerminationBehavior: .ignore),
                ], logger: CapturedLog().logger()))
        async let running: Void = group.run()
        try await Task.sleep(for: .milliseconds(300))
        #expect(timeouts.withLock { $0 } == 0, "without a shutdown there is no limit")
        await group.triggerGracefulShutdown()
        try await running
        #expect(timeouts.withLock { $0 } == 1)
    }
}

import Dispatch
import LedgerStorage
import Testing

@Suite struct `Work on a dispatch queue` {
    private final class Environment: Sendable {
        let number: Int

        init(_ number: Int) {
            self.number = number
        }
    }

    private struct Failure: Error {}

    @Test func `has released its captures when the call returns`() async throws {
        for number in 0..<5_000 {
            weak var environment: Environment?
            var closed: Environment? = Environment(number)
            environment = closed
            let result = try await DispatchQueue.global().run { [closed] in closed?.number }
            closed = nil
            #expect(result == number)
            #expect(environment == nil)
        }
    }

    @Test func `passes on its error`() async {
        await #expect(throws: Failure.self) { try await DispatchQueue.global().run { throw Failure() } }
    }
}

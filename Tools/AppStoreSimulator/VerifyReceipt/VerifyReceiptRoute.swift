import AppStoreModel
import AppStoreSimulation
import HTTPTypes
import Hummingbird
import NIOCore
import Primitives

/// The verifyReceipt route at Apple's path. It takes no token, and reports errors with status 200.
struct VerifyReceiptRoute: Sendable {
    static let path = "/verifyReceipt"
    private static let bodyLimit = 16 * 1_024 * 1_024

    let verifyReceipt: VerifyReceipt

    func add(to router: Router<BasicRequestContext>) {
        router.post("\(Self.path)") { request, _ -> Response in
            let buffer = try await request.body.collect(upTo: Self.bodyLimit)
            do {
                return .json(try await verifyReceipt.answer(Array(buffer.readableBytesView)))
            } catch let failure as VerifyReceiptFailure {
                return response(to: failure)
            }
        }
        router.get("\(Self.path)") { _, _ in response(to: .badRequest) }
    }

    private func response(to failure: VerifyReceiptFailure) -> Response {
        guard failure != .unavailable else { return Response(status: .serviceUnavailable) }
        return .json(failure.json(environment: verifyReceipt.store.app.environment.rawValue))
    }
}

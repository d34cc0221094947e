import AppStoreModel
import AppStoreSimulation
import HTTPTypes
import Hummingbird
import NIOCore
import Primitives

/// The verifyReceipt routes. They take no token, and report errors with status 200.
struct VerifyReceiptRoute: Sendable {
    /// Apple's path, for receipts of the store's environment.
    static let path = "/verifyReceipt"
    private static let bodyLimit = 16 * 1_024 * 1_024

    let store: SimulatedAppStore

    /// Returns the path of an environment, whatever that of the store. Apple has two hosts instead.
    static func path(of environment: AppStoreModel.Environment) -> String {
        "/\(environment.rawValue.lowercased())\(path)"
    }

    func add(to router: Router<BasicRequestContext>) {
        add(Self.path, VerifyReceipt(store: store, environment: store.app.environment), to: router)
        for environment in [AppStoreModel.Environment.production, .sandbox] {
            add(Self.path(of: environment), VerifyReceipt(store: store, environment: environment), to: router)
        }
    }

    private func add(_ path: String, _ verifyReceipt: VerifyReceipt, to router: Router<BasicRequestContext>) {
        let environment = verifyReceipt.environment.rawValue
        router.post("\(path)") { request, _ -> Response in
            let buffer = try await request.body.collect(upTo: Self.bodyLimit)
            do {
                var response = Response.json(try await verifyReceipt.answer(Array(buffer.readableBytesView)))
                response.headers.setDate(await store.now)
                return response
            } catch let failure as VerifyReceiptFailure {
                return Self.response(to: failure, environment)
            }
        }
        router.get("\(path)") { _, _ in Self.response(to: .badRequest, environment) }
    }

    private static func response(to failure: VerifyReceiptFailure, _ environment: String) -> Response {
        guard failure != .unavailable else { return Response(status: .serviceUnavailable) }
        return .json(failure.json(environment: environment))
    }
}

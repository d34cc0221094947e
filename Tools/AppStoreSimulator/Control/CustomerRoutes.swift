import AppStoreSimulation
import HTTPTypes
import Hummingbird
import Primitives

/// Acts of customers, by their number in the truth. A customer who is directed no longer follows the script.
struct CustomerRoutes: Sendable {
    let store: SimulatedAppStore

    func add(to router: Router<BasicRequestContext>) {
        for act in CustomerAct.allCases {
            router.post("/simulator/customers/:customer/\(act.rawValue)") { request, context in
                try await SimulatorProblem.answer {
                    let number = try context.customer
                    let body = try await RequestBody(ofSimulator: request)
                    let id = body.text("originalTransactionId")
                    let transactionId = body.text("transactionId")
                    try await store.act(asCustomer: number) { store, account in
                        switch act {
                        case .cancel: try store.cancel(id, by: account)
                        case .resubscribe: try store.resubscribe(id, by: account)
                        case .refund: try store.refund(transactionId, by: account)
                        case .failBilling: store.failBilling(of: account)
                        case .fixBilling: store.fixBilling(of: account)
                        case .consent: try store.consent(id, by: account)
                        case .share: try store.share(id, by: account)
                        case .stopSharing: try store.stopSharing(id, by: account)
                        }
                    }
                    return await purchases(of: number)
                }
            }
        }
        router.get("/simulator/customers/:customer") { _, context in
            try await SimulatorProblem.answer { await purchases(of: try context.customer) }
        }
    }

    /// Returns the true states of the customer's purchases.
    private func purchases(of number: Int) async -> JSONValue {
        let now = await store.now
        let rows = await store.truth(at: now).filter { $0.customer == number }
        return TruthReport(at: now, seed: store.configuration.simulation.seed, rows).json
    }
}

private enum CustomerAct: String, CaseIterable {
    case cancel, resubscribe, refund, consent, share
    case failBilling = "fail-billing"
    case fixBilling = "fix-billing"
    case stopSharing = "stop-sharing"
}

extension BasicRequestContext {
    var customer: Int {
        get throws {
            let text = try parameters.require("customer")
            guard let number = Int(text), number >= 0 else {
                throw SimulatorProblem.invalid("a customer is a number from 0 on, not `\(text)`")
            }
            return number
        }
    }
}

extension RequestBody {
    /// An empty body counts as an object without members.
    init(ofSimulator request: Request) async throws {
        let buffer = try await request.body.collect(upTo: 4_096)
        let bytes = Array(buffer.readableBytesView)
        do throws(ServerAPIError) {
            try self.init(bytes.isEmpty ? Array("{}".utf8) : bytes)
        } catch {
            throw SimulatorProblem.invalid("the body is a JSON object")
        }
    }
}

import AppStoreModel
import AppStoreSimulation
import HTTPTypes
import Hummingbird
import Primitives

/// The devices of customers, one each, with the payment queue that the app sees.
struct DeviceRoutes: Sendable {
    let store: SimulatedAppStore

    func add(to router: Router<BasicRequestContext>) {
        router.get("/simulator/devices/:customer") { _, context in
            try await SimulatorProblem.answer {
                let number = try context.customer
                let queue = try await store.act(asCustomer: number) { $0.launch($1) }
                return .object(["queue": .array(try await json(queue, of: number))])
            }
        }
        router.get("/simulator/devices/:customer/app-transaction") { _, context in
            try await SimulatorProblem.answer {
                let number = try context.customer
                let payload = try await store.act(asCustomer: number) { $0.record(of: $1).appTransaction }
                let jws = store.signers[await store.now].sign(payload)
                return .object(["signedAppTransaction": .string(jws.text)])
            }
        }
        router.get("/simulator/devices/:customer/transactions") { _, context in
            try await SimulatorProblem.answer {
                let number = try context.customer
                let transactions = try await store.act(asCustomer: number) { $0.record(of: $1).transactions }
                let signer = store.signers[await store.now]
                return .object([
                    "signedTransactions": .array(transactions.map { .string(signer.sign($0.payload).text) })
                ])
            }
        }
        router.post("/simulator/devices/:customer/purchase") { request, context in
            try await SimulatorProblem.answer {
                let number = try context.customer
                let payment = try Self.payment(try await RequestBody(ofSimulator: request))
                let transaction = try await store.act(asCustomer: number) { $0.pay(payment, on: $1) }
                return .object(["transaction": try await json(transaction, of: number)])
            }
        }
        router.post("/simulator/devices/:customer/answer") { request, context in
            try await SimulatorProblem.answer {
                let number = try context.customer
                guard let isApproved = try await RequestBody(ofSimulator: request).flag("approved") else {
                    throw SimulatorProblem.invalid("`approved` is true or false")
                }
                let transaction = try await store.act(asCustomer: number) { $0.answer(isApproved, on: $1) }
                guard let transaction else { throw SimulatorProblem.conflict("no parent is asked") }
                return .object(["transaction": try await json(transaction, of: number)])
            }
        }
        router.post("/simulator/devices/:customer/restore") { _, context in
            try await SimulatorProblem.answer {
                let number = try context.customer
                let restored = try await store.act(asCustomer: number) { $0.restore($1) }
                return .object(["queue": .array(try await json(restored, of: number))])
            }
        }
        router.post("/simulator/devices/:customer/finish") { request, context in
            try await SimulatorProblem.answer {
                let number = try context.customer
                guard let payment = try await RequestBody(ofSimulator: request).integer("payment") else {
                    throw SimulatorProblem.invalid("`payment` is the number of a payment in the queue")
                }
                let isFinished = try await store.act(asCustomer: number) {
                    $0.finish(payment: Int(payment), on: $1)
                }
                guard isFinished else { throw SimulatorProblem.conflict("payment \(payment) cannot be finished") }
                let queue = try await store.act(asCustomer: number) { $0.launch($1) }
                return .object(["queue": .array(try await json(queue, of: number))])
            }
        }
    }

    private static func payment(_ body: RequestBody) throws -> Payment {
        guard let productId = body.text("productId") else { throw SimulatorProblem.invalid("`productId` is missing") }
        var payment = Payment(productId)
        if let offer = body.text("offerId") { payment.offer = offer == "introductory" ? .introductory : .named(offer) }
        payment.quantity = body.integer("quantity") ?? 1
        guard (1...10).contains(payment.quantity) else {
            throw SimulatorProblem.invalid("`quantity` is from 1 to 10")
        }
        payment.asksToBuy = body.flag("askToBuy") ?? false
        payment.isInterrupted = body.flag("interrupted") ?? false
        payment.isCancelled = body.flag("cancelled") ?? false
        payment.isPending = body.flag("pending") ?? false
        if let start = body.text("begun") {
            guard let start = Payment.Start(rawValue: start) else {
                throw SimulatorProblem.invalid("`begun` is app, promoCode or promotedPurchase")
            }
            payment.start = start
        }
        return payment
    }

    private func json(_ transactions: [QueuedTransaction], of number: Int) async throws -> [JSONValue] {
        var values: [JSONValue] = []
        for transaction in transactions { values.append(try await json(transaction, of: number)) }
        return values
    }

    /// Includes what the app posts to its server: the transaction, signed now.
    private func json(_ transaction: QueuedTransaction?, of number: Int) async throws -> JSONValue {
        guard let transaction else { return .null }
        var jws: String?
        if let id = transaction.transactionId,
            let payload = try await store.act(asCustomer: number, { $0.payload(of: id, on: $1) })
        {
            jws = store.signers[await store.now].sign(payload).text
        }
        return .object([
            "payment": .integer(Int64(transaction.payment)), "productId": .string(transaction.productId),
            "state": .string(transaction.state.rawValue), "transactionId": JSONValue(transaction.transactionId),
            "reason": JSONValue(transaction.reason), "askedUntil": JSONValue(transaction.askedUntil),
            "signedTransactionInfo": JSONValue(jws),
        ])
    }
}

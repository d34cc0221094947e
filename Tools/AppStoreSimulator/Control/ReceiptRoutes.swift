import AppStoreModel
import AppStoreSimulation
import HTTPTypes
import Hummingbird
import Primitives

/// The receipts on the devices of customers: of the app, and of single transactions as until iOS 6.
struct ReceiptRoutes: Sendable {
    let store: SimulatedAppStore

    func add(to router: Router<BasicRequestContext>) {
        router.get("/simulator/devices/:customer/receipt") { request, context in
            try await SimulatorProblem.answer {
                try await receipt(of: try context.customer, try Self.receiptRequest(request.items))
            }
        }
        router.get("/simulator/devices/:customer/transaction-receipt") { request, context in
            try await SimulatorProblem.answer {
                try await transactionReceipt(of: try context.customer, request.items)
            }
        }
    }

    /// Returns the app receipt as it is on the device after a refresh now.
    private func receipt(of number: Int, _ request: ReceiptRequest) async throws -> JSONValue {
        let purchases = try await store.purchases(ofCustomer: number)
        let receipt = purchases.receipt(request, createdAt: await store.now)
        let guid = request.guid ?? purchases.deviceGUID
        return .object([
            "receipt": .string(Base64.encode(try ReceiptSigner.standard.sign(receipt))),
            "receiptType": JSONValue(receipt.receiptType), "createdAt": JSONValue(receipt.receiptCreationDate),
            "expirationDate": JSONValue(receipt.expirationDate), "deviceGUID": .string(guid.text),
        ])
    }

    private static func receiptRequest(_ items: [(name: String, value: String)]) throws -> ReceiptRequest {
        var request = ReceiptRequest()
        for (name, value) in items {
            switch name {
            case "type":
                guard let type = ReceiptType(rawValue: value) else {
                    let names = ReceiptType.allCases.map(\.rawValue).joined(separator: ", ")
                    throw SimulatorProblem.invalid("`type` is one of \(names)")
                }
                request.type = type
            case "expires":
                guard let instant = Instant(iso8601: value) else {
                    throw SimulatorProblem.invalid("`expires` is an instant (ISO 8601)")
                }
                request.expirationDate = instant
            case "guid":
                guard let guid = UUIDBytes(value) else { throw SimulatorProblem.invalid("`guid` is a UUID") }
                request.guid = guid
            default: throw SimulatorProblem.invalid("a receipt has `type`, `expires` and `guid`, not `\(name)`")
            }
        }
        return request
    }

    /// Returns the receipt of one transaction that the device has.
    private func transactionReceipt(
        of number: Int, _ items: [(name: String, value: String)]
    ) async throws -> JSONValue {
        var (transactionId, namesEnvironment) = (String?.none, true)
        for (name, value) in items {
            switch (name, value) {
            case ("transactionId", _): transactionId = value
            case ("environment", "none"): namesEnvironment = false
            case ("environment", _): throw SimulatorProblem.invalid("`environment` is none, or left out")
            default:
                throw SimulatorProblem.invalid(
                    "a transaction receipt has `transactionId` and `environment`, not `\(name)`")
            }
        }
        guard let transactionId else { throw SimulatorProblem.invalid("`transactionId` is missing") }
        let found = try await store.act(asCustomer: number) { $0.transactionReceipt(of: transactionId, on: $1) }
        guard var receipt = found else {
            throw SimulatorProblem.conflict("the device has no transaction \(transactionId)")
        }
        if !namesEnvironment { receipt.namesSandbox = false }
        return .object(["receipt": .string(Base64.encode(try ReceiptSigner.standard.sign(receipt)))])
    }
}

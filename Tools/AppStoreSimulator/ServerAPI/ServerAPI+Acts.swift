import AppStoreModel
import AppStoreSimulation
import Primitives

/// The requests of the developer that change something.
extension ServerAPI {
    func extendRenewalDate(_ id: String, _ body: RequestBody) async throws -> JSONValue {
        try await enter(.extendRenewalDate)
        let days = try Self.extensionDays(in: body)
        guard let identifier = body.text("requestIdentifier"), (1...128).contains(identifier.utf8.count) else {
            throw ServerAPIError.invalidRequestIdentifier
        }
        let extended = try await store.extendRenewal(of: id, byDays: days)
        return .object([
            "originalTransactionId": .string(id), "webOrderLineItemId": .string(extended.webOrderLineItemId),
            "success": .bool(true), "effectiveDate": .integer(extended.effectiveDate.milliseconds),
        ])
    }

    func extendRenewalDates(_ body: RequestBody) async throws -> JSONValue {
        try await enter(.massExtension)
        let days = try Self.extensionDays(in: body)
        guard let identifier = body.text("requestIdentifier"), UUIDBytes(identifier) != nil else {
            throw ServerAPIError.invalidRequestIdentifier
        }
        let products = store.app.catalog.products
        guard let productId = body.text("productId"),
            products.contains(where: { $0.id == productId && $0.type == .autoRenewable })
        else { throw ServerAPIError.invalidProductId }
        let storefronts = body.texts("storefrontCountryCodes")
        if storefronts?.isEmpty == true { throw ServerAPIError.emptyStorefrontList }
        if storefronts?.contains(where: { $0.utf8.count != 3 }) == true { throw ServerAPIError.invalidStorefront }
        await store.extendRenewals(
            MassExtension(
                requestIdentifier: identifier, productId: productId, storefronts: storefronts ?? [], days: days))
        return .object(["requestIdentifier": .string(identifier)])
    }

    func extensionStatus(_ identifier: String, productId: String) async throws -> JSONValue {
        try await enter(.massExtensionStatus)
        guard let (result, date) = await store.massExtension(identifier), result.productId == productId else {
            throw ServerAPIError.statusRequestNotFound
        }
        return .object([
            "requestIdentifier": .string(identifier), "complete": .bool(true),
            "completeDate": .integer(date.milliseconds), "succeededCount": .integer(Int64(result.succeeded)),
            "failedCount": .integer(Int64(result.failed)),
        ])
    }

    private static func extensionDays(in body: RequestBody) throws(ServerAPIError) -> Int64 {
        guard let days = body.integer("extendByDays"), (1...90).contains(days) else { throw .invalidExtendByDays }
        guard let reason = body.integer("extendReasonCode"), (0...3).contains(reason) else {
            throw .invalidExtendReasonCode
        }
        return days
    }

    func setAppAccountToken(_ id: String, _ body: RequestBody) async throws {
        try await enter(.setAppAccountToken)
        guard let token = body.text("appAccountToken"), UUIDBytes(token) != nil else {
            throw ServerAPIError.invalidAppAccountToken
        }
        try await store.setAppAccountToken(token, of: id)
    }

    func finishTransaction(_ id: String) async throws {
        try await enter(.finishTransaction)
        _ = try await transaction(id)
        try await store.finish(id)
    }

    /// Takes the second version of the consumption request.
    func sendConsumption(_ id: String, _ body: RequestBody) async throws {
        try await enter(.consumption)
        let transaction = try await transaction(id)
        guard body.flag("customerConsented") == true else { throw ServerAPIError.invalidCustomerConsented }
        guard let status = body.text("deliveryStatus"), Self.deliveryStatuses.contains(status) else {
            throw ServerAPIError.invalidDeliveryStatus
        }
        guard body.flag("sampleContentProvided") != nil else { throw ServerAPIError.invalidSampleContent }
        if transaction.type == .autoRenewable, body.integer("consumptionPercentage") != nil {
            throw ServerAPIError.transactionTypeNotSupported
        }
        await store.note(consumption: body.json, of: id)
    }

    /// Takes the first version of the consumption request, whose values are numbers.
    func sendConsumptionV1(_ id: String, _ body: RequestBody) async throws {
        try await enter(.consumption)
        let transaction = try await transaction(id)
        guard body.flag("customerConsented") == true else { throw ServerAPIError.invalidCustomerConsented }
        guard transaction.type == .consumable || transaction.type == .autoRenewable else {
            throw ServerAPIError.transactionTypeNotSupported
        }
        await store.note(consumption: body.json, of: id)
    }

    private static let deliveryStatuses: Set<String> = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]
}

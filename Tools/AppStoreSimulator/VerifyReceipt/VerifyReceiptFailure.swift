import Primitives

/// The reason why verifyReceipt does not accept a request.
/// https://developer.apple.com/documentation/appstorereceipts/status
enum VerifyReceiptFailure: Error, Hashable, Sendable {
    /// Not a POST, or no JSON object.
    case badRequest
    case malformedReceipt
    /// Not issued by this store for its app.
    case unauthenticated
    case wrongPassword
    /// The server is temporarily unable to answer.
    case temporary
    case sandboxReceiptInProduction
    case productionReceiptInSandbox
    case accountNotFound
    case internalAccess(code: Int64, isRetryable: Bool)
    /// An HTTP error without any status.
    case unavailable

    private var status: Int64 {
        switch self {
        case .badRequest: 21_000
        case .malformedReceipt: 21_002
        case .unauthenticated: 21_003
        case .wrongPassword: 21_004
        case .temporary, .unavailable: 21_005
        case .sandboxReceiptInProduction: 21_007
        case .productionReceiptInSandbox: 21_008
        case .accountNotFound: 21_010
        case .internalAccess(let code, _): code
        }
    }

    /// The body. Apple writes whether a retry can help in several forms; here the code decides.
    func json(environment: String) -> JSONValue {
        var members = [JSONValue.Member("status", .integer(status)), .init("environment", .string(environment))]
        if case .internalAccess(let code, let isRetryable) = self {
            switch code % 3 {
            case 0: members.append(.init("is_retryable", .bool(isRetryable)))
            case 1: members.append(.init("is_retryable", .integer(isRetryable ? 1 : 0)))
            default: members.append(.init("is-retryable", .bool(isRetryable)))
            }
        }
        return .object(members)
    }
}

import HTTPTypes
import Primitives

/// An error of the App Store Server API: a status, and a body with Apple's code.
/// https://developer.apple.com/documentation/appstoreserverapi/error-codes
struct ServerAPIError: Error, Hashable, Sendable {
    let code: Int64
    let message: String
    /// The virtual instant from which the call may be repeated.
    var retryAfter: Instant?

    init(_ code: Int64, _ message: String, retryAfter: Instant? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// Apple's codes begin with their status.
    var status: HTTPResponse.Status { HTTPResponse.Status(code: Int(code / 10_000)) }

    var json: JSONValue { .object(["errorCode": .integer(code), "errorMessage": .string(message)]) }
}

extension ServerAPIError {
    static let invalidRequest = ServerAPIError(4_000_000, "Bad request.")
    static let invalidRevision = ServerAPIError(4_000_005, "Invalid request revision.")
    static let invalidTransactionId = ServerAPIError(4_000_006, "Invalid transaction id.")
    static let invalidOriginalTransactionId = ServerAPIError(4_000_008, "Invalid original transaction id.")
    static let invalidExtendByDays = ServerAPIError(4_000_009, "Invalid extend by days value.")
    static let invalidExtendReasonCode = ServerAPIError(4_000_010, "Invalid extend reason code.")
    static let invalidRequestIdentifier = ServerAPIError(4_000_011, "Invalid request identifier.")
    static let startDateTooFarInPast = ServerAPIError(4_000_012, "Start date is too far in the past.")
    static let startDateAfterEndDate = ServerAPIError(4_000_013, "Start date is after end date.")
    static let invalidPaginationToken = ServerAPIError(4_000_014, "Invalid pagination token.")
    static let invalidStartDate = ServerAPIError(4_000_015, "Invalid start date.")
    static let invalidEndDate = ServerAPIError(4_000_016, "Invalid end date.")
    static let invalidNotificationType = ServerAPIError(4_000_018, "Invalid notification type or subtype.")
    static let multipleFilters = ServerAPIError(4_000_019, "Multiple filters supplied.")
    static let invalidTestNotificationToken = ServerAPIError(4_000_020, "Invalid test notification token.")
    static let invalidProductId = ServerAPIError(4_000_023, "Invalid product id.")
    static let invalidSort = ServerAPIError(4_000_021, "Invalid sort.")
    static let invalidProductType = ServerAPIError(4_000_022, "Invalid product type.")
    static let invalidOwnershipType = ServerAPIError(4_000_026, "Invalid in-app ownership type.")
    static let emptyStorefrontList = ServerAPIError(4_000_027, "The list of storefront country codes is empty.")
    static let invalidStorefront = ServerAPIError(4_000_028, "Invalid storefront country code.")
    static let invalidRevoked = ServerAPIError(4_000_030, "Invalid revoked.")
    static let invalidStatus = ServerAPIError(4_000_031, "Invalid status.")
    static let invalidCustomerConsented = ServerAPIError(4_000_035, "Invalid customer consented.")
    static let invalidDeliveryStatus = ServerAPIError(4_000_036, "Invalid delivery status.")
    static let invalidSampleContent = ServerAPIError(4_000_041, "Invalid sample content provided.")
    static let transactionTypeNotSupported = ServerAPIError(4_000_047, "Transaction type is not supported.")
    static let appTransactionIdNotSupported = ServerAPIError(4_000_048, "App transaction id is not supported.")
    static let invalidAppAccountToken = ServerAPIError(4_000_183, "App account token is not a valid UUID.")
    static let familyTransactionNotSupported = ServerAPIError(4_000_185, "Family transactions are not supported.")
    static let notOriginalTransactionId = ServerAPIError(
        4_000_187, "Transaction id is not an original transaction id.")
    static let extensionIneligible = ServerAPIError(4_030_004, "The subscription is not eligible for an extension.")
    static let extensionMaximum = ServerAPIError(4_030_005, "The subscription has had the maximum of extensions.")
    static let familyExtensionIneligible = ServerAPIError(
        4_030_007, "A family shared subscription is not eligible for an extension.")
    static let noNotificationURL = ServerAPIError(4_040_007, "The app has no server notification URL.")
    static let testNotificationNotFound = ServerAPIError(4_040_008, "Test notification not found.")
    static let statusRequestNotFound = ServerAPIError(4_040_009, "Status request not found.")
    static let transactionIdNotFound = ServerAPIError(4_040_010, "Transaction id not found.")
    static let appTransactionDoesNotExist = ServerAPIError(4_040_019, "App transaction does not exist.")
    static let internalError = ServerAPIError(5_000_000, "An unknown error occurred.")
    static let internalErrorRetryable = ServerAPIError(5_000_001, "An unknown error occurred. Please try again.")

    static func rateLimitExceeded(until instant: Instant) -> ServerAPIError {
        ServerAPIError(4_290_000, "Rate limit exceeded.", retryAfter: instant)
    }
}

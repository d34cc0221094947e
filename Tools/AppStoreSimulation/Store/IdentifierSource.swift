import AppStoreModel

/// Generates App Store identifiers. Each store of a simulation has a separate range, so that histories do not depend on
/// each other.
struct IdentifierSource: Sendable {
    private let firstNumber: Int
    private var used = 0
    private var restored = 0

    /// The maximum number of transaction and line item identifiers per store.
    static let rangeLength = 100_000

    init(range: Int) {
        firstNumber = range * Self.rangeLength
    }

    private mutating func next() -> Int {
        precondition(used + restored < Self.rangeLength, "a store has \(Self.rangeLength) identifiers")
        used += 1
        return firstNumber + used
    }

    mutating func transactionId(in environment: Environment) -> String {
        Self.transactionId(next(), in: environment)
    }

    /// Generates the id of a restored purchase, from the end of the range. The ids of later purchases stay the same.
    mutating func restoredTransactionId(in environment: Environment) -> String {
        restored += 1
        return Self.transactionId(firstNumber + Self.rangeLength + 1 - restored, in: environment)
    }

    mutating func webOrderLineItemId(in environment: Environment) -> String {
        Self.webOrderLineItemId(next(), in: environment)
    }

    /// Returns the range of a transaction id; nil for an id of another environment or form.
    static func range(ofTransactionId id: String, in environment: Environment) -> Int? {
        guard let number = Int(id).map({ $0 - firstTransactionId(in: environment) }), number > 0 else { return nil }
        return (number - 1) / rangeLength
    }

    /// Returns the environment of a transaction id. Production and the sandbox have ids of their own.
    static func environment(ofTransactionId id: String) -> Environment {
        id.utf8.count < transactionId(0, in: .sandbox).utf8.count ? .production : .sandbox
    }

    /// Returns the number of the account; nil for an id of another form.
    static func customer(ofAppTransactionId id: String) -> Int? {
        Int(id).map { $0 - firstAppTransactionId }.flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func firstTransactionId(in environment: Environment) -> Int {
        environment == .production ? 410_000_000_000_000 : 2_000_000_000_000_000
    }

    private static let firstAppTransactionId = 704_000_000_000_000_000

    /// Returns an id like Apple's: 15 digits in production, 16 elsewhere.
    static func transactionId(_ number: Int, in environment: Environment) -> String {
        String(firstTransactionId(in: environment) + number)
    }

    static func webOrderLineItemId(_ number: Int, in environment: Environment) -> String {
        String((environment == .production ? 450_000_000_000_000 : 2_500_000_000_000_000) + number)
    }

    /// Returns the id of an Apple Account; each account has one.
    static func appTransactionId(ofCustomer number: Int) -> String {
        String(firstAppTransactionId + number)
    }
}

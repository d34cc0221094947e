import LedgerAPI
import LedgerConfiguration
import LedgerStorage
import Primitives
import SubscriptionLedger

/// Write access to a ledger: this process takes the lock, or the running service that holds it works on behalf of the
/// command.
enum LedgerAccess {
    case writer(LedgerWriter)
    case service(ControlClient)

    /// - Throws: `StorageError`, except `locked`, which the use throws if the other process accepts no commands.
    init(_ configuration: Ledger.Configuration) throws {
        do {
            self = .writer(try LedgerWriter(configuration))
        } catch let error as StorageError where error.code == .locked {
            self = .service(ControlClient(configuration: configuration, locked: error))
        }
    }

    func close() {
        if case .writer(let writer) = self { writer.close() }
    }

    /// Changes a customer, with an administrator's authority.
    /// - Returns: the customer in its wire form.
    func apply(_ change: CustomerChange, to id: String, scope: CustomerScope) async throws -> JSONValue {
        _ = try ExternalCustomerID(id)
        return switch self {
        case .writer(let writer):
            try await writer.apply(change, to: id, by: .admin, scope: scope, source: .operator).json
        case .service(let client): try await client.apply(change, to: id, scope: scope)
        }
    }

    /// Erases a customer, with an administrator's authority.
    /// - Parameter report: receives the share that is done.
    /// - Returns: the result in its wire form.
    func erase(_ request: ErasureRequest, report: @escaping @Sendable (Double) -> Void) async throws -> JSONValue {
        _ = try ExternalCustomerID(request.id)
        return switch self {
        case .writer(let writer):
            try await writer.erase(
                request.id, withEvidence: request.withEvidence, by: .admin, source: .operator, progress: report
            ).json
        case .service(let client): try await client.erase(request, report: report)
        }
    }

    /// Returns a reader of the ledger.
    func reader() throws -> LedgerReader {
        switch self {
        case .writer(let writer): writer.reader
        case .service(let client): try LedgerReader(client.configuration)
        }
    }

    /// Activates the rules of a file.
    /// - Returns: the rules in force afterwards, in their wire form.
    func activate(_ file: RulesFile, path: String, by: String) async throws -> JSONValue {
        switch self {
        case .writer(let writer):
            let (found, isAppended) = try await writer.activate(file.rules, text: file.text, by: by)
            return found.answer(activated: isAppended).json
        case .service(let client):
            return try await client.activate(ActivationRequest(file: path, text: file.text, by: by))
        }
    }

    /// Applies the catalogue of a file.
    /// - Returns: the catalogues afterwards, in their wire form.
    func apply(_ file: CatalogFile) async throws -> JSONValue {
        switch self {
        case .writer(let writer): try await writer.apply(file).json
        case .service(let client): try await client.applyCatalog(FileRequest(file: file.name, text: file.text))
        }
    }

    /// Applies the exchange rates of a file.
    /// - Returns: all rates afterwards, in their wire form.
    func apply(_ file: RatesFile, path: String) async throws -> JSONValue {
        switch self {
        case .writer(let writer): try await writer.apply(file).json
        case .service(let client): try await client.applyRates(FileRequest(file: path, text: file.text))
        }
    }

    /// Stores numbers under their name.
    /// - Returns: the close with its numbers, in its wire form.
    func close(_ numbers: ClosingNumbers) async throws -> JSONValue {
        switch self {
        case .writer(let writer): try await writer.close(numbers).json
        case .service(let client): try await client.close(numbers)
        }
    }

    /// Ingests artifacts.
    /// - Parameters:
    ///   - artifacts: passes each artifact to its parameter.
    ///   - report: receives the results in order, once they are durable.
    func ingest(
        _ request: IngestRequest, _ artifacts: @escaping ArtifactSource,
        report: ([IngestPipeline.Result]) throws -> Void
    ) async throws {
        let customer = try request.customerId.map { try ExternalCustomerID($0) }
        switch self {
        case .writer(let writer):
            var pipeline = IngestPipeline(ledger: writer, trust: request.trust, customer: customer)
            try await artifacts { found in try report(try await pipeline.add(found)) }
            try report(try await pipeline.finish())
        case .service(let client): try await client.ingest(request, artifacts, report: report)
        }
    }
}

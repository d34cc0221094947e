import AsyncHTTPClient
import Exports
import LedgerConfiguration
import ObjectStorage
import PostgreSQL

/// The places that exports are written to and continued from: local folders, databases, and buckets, which variables of
/// the environment give access to.
/// https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html
struct ExportPlaces {
    private let transport: HTTPClient

    /// Runs `body`, and ends the connections.
    static func withPlaces<Result>(_ body: (ExportPlaces) async throws -> Result) async throws -> Result {
        let transport = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: S3Bucket.transportConfiguration)
        do {
            let result = try await body(ExportPlaces(transport: transport))
            try await transport.shutdown()
            return result
        } catch {
            try? await transport.shutdown()
            throw error
        }
    }

    /// - Parameter text: a path, `s3://BUCKET/PREFIX` or `postgres://…`.
    /// - Throws: `usage` for a text that is none of them, and for missing variables.
    func destination(_ text: String) throws -> any ExportDestination {
        if PostgresAddress.isMeant(by: text) {
            guard let address = PostgresAddress(text) else {
                // The text may have a password.
                throw CommandFailure(
                    code: "usage", message: "invalid address of a database",
                    expected: "postgres://USER@HOST:PORT/DATABASE",
                    hint: "Encode special characters as %40, %2F and so on.",
                    exitCode: CommandFailure.usage)
            }
            return PostgresDestination(address)
        }
        guard S3Location.isMeant(by: text) else {
            guard !text.contains("://") else {
                throw CommandFailure(
                    code: "usage", message: "unknown kind of place for exports",
                    expected: "a folder, s3://BUCKET/PREFIX or postgres://USER@HOST/DATABASE",
                    found: text.split(separator: ":").first.map { "\($0)://…" }, exitCode: CommandFailure.usage)
            }
            return LocalDestination(text)
        }
        guard let location = S3Location(text) else {
            throw CommandFailure(
                code: "usage", message: "invalid location of a bucket", expected: "s3://BUCKET/PREFIX", found: text,
                exitCode: CommandFailure.usage)
        }
        return BucketDestination(location, S3Bucket(try configuration(of: location.bucket), transport: transport))
    }

    /// Returns the exports of a configuration.
    /// - Throws: `ConfigurationError` for tables and addresses that do not exist; `usage` for missing variables.
    func scheduled(_ exports: [Settings.Export]) throws -> [ScheduledExport] {
        try exports.map { export in
            let destination = try scheduledDestination(export)
            var request = ExportRequest(
                try Self.tables(export.tables),
                as: export.format.flatMap { FileFormat(rawValue: $0.rawValue) }?.format ?? destination.format)
            request.environments = export.environments
            request.bundleIds = export.bundleIds
            request.reportingCurrency = export.currency
            return ScheduledExport(export.name, export.schedule, request, to: destination)
        }
    }

    private func scheduledDestination(_ export: Settings.Export) throws -> any ExportDestination {
        let text = export.destination
        let isAddress = PostgresAddress(text) != nil || S3Location(text) != nil || !text.contains("://")
        guard isAddress else {
            throw export.to.unexpected(
                "a folder, s3://BUCKET/PREFIX or postgres://USER@HOST:PORT/DATABASE", isSecret: true)
        }
        return try destination(text)
    }

    private static func tables(_ words: [Settings.Export.Word]) throws -> [ExportTable] {
        if words.isEmpty { return ExportTable.all }
        return try words.map { word in
            guard let table = try? ExportTable(named: word.text) else {
                throw word.unexpected(ExportTable.all.map(\.name).joined(separator: ", "))
            }
            return table
        }
    }

    /// Reads a manifest.
    /// - Parameter text: a path or `s3://BUCKET/PREFIX/manifest.json`.
    func base(_ text: String) async throws -> ExportBase {
        guard let end = text.lastIndex(of: "/") else {
            return try await ExportBase(manifest: text, in: LocalDestination("."))
        }
        let place = try destination(String(text[..<end]))
        return try await ExportBase(manifest: String(text[text.index(after: end)...]), in: place)
    }

    private func configuration(of bucket: String) throws -> S3Bucket.Configuration {
        let endpoint = Self.variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
        // Other services than Amazon's have one region, which most of them call so.
        let region = Self.variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? endpoint.map { _ in "us-east-1" }
        let credentials = S3Credentials(
            accessKeyId: try Self.require("AWS_ACCESS_KEY_ID"),
            secretAccessKey: try Self.require("AWS_SECRET_ACCESS_KEY"),
            sessionToken: Self.variable("AWS_SESSION_TOKEN"))
        guard let region else { throw Self.missing("AWS_REGION") }
        guard
            let address = endpoint.map({ S3Address(bucket: bucket, endpoint: $0) })
                ?? S3Address(bucket: bucket, region: region)
        else {
            throw CommandFailure(
                code: "usage", message: "invalid AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL",
                expected: "http://HOST:PORT or https://HOST", exitCode: CommandFailure.usage)
        }
        return S3Bucket.Configuration(address, S3Signer(credentials, region: region), clock: SystemClock.now)
    }

    /// Returns the first of some variables that is set to more than nothing.
    private static func variable(_ names: String...) -> String? {
        names.lazy.compactMap(ProcessEnvironment.value).first { !$0.isEmpty }
    }

    private static func require(_ name: String) throws -> String {
        guard let value = variable(name) else { throw missing(name) }
        return value
    }

    private static func missing(_ name: String) -> CommandFailure {
        CommandFailure(
            code: "usage", message: "the environment does not say how to access the bucket",
            expected: "the variable \(name)", hint: "See `subledger export tables --help`.",
            exitCode: CommandFailure.usage)
    }
}

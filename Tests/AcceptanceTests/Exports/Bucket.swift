import ObjectStorage
import Primitives
import Testing

/// A running S3 server with an empty bucket: moto, which `Tools/peers` installs, behind a check of signatures.
///
/// Not thread-safe.
final class Bucket {
    static let url = "s3://warehouse/exports"
    static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    private static let key = "AKIDEXAMPLE"

    private let child: ChildProcess
    let endpoint: String

    init() throws {
        child = try Python.start(Python.path(of: "bucket.py", beside: #filePath), [Self.key, Self.secret])
        endpoint = try #require(child.nextLine(), "\(child.standardError)")
    }

    /// The variables that give access to the bucket.
    func environment(secret: String = Bucket.secret) -> [String: String] {
        [
            "AWS_ACCESS_KEY_ID": Self.key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": "",
            "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL_S3": endpoint,
        ]
    }

    /// A configuration with parts of the default size.
    func configuration() throws -> S3Bucket.Configuration {
        let credentials = S3Credentials(accessKeyId: Self.key, secretAccessKey: Self.secret)
        let address = try #require(S3Address(bucket: "warehouse", endpoint: endpoint))
        return S3Bucket.Configuration(address, S3Signer(credentials, region: "us-east-1")) {
            Instant(milliseconds: 1_800_000_000_000)
        }
    }

    /// The SHA-256 of each object by its key.
    func objects() throws -> [String: String] {
        try Dictionary(
            uniqueKeysWithValues: answer(to: "list").members.map { ($0.key, try #require($0.value.string)) })
    }

    /// Returns the digests of the objects below a name, by the rest of their keys.
    func objects(below name: String) throws -> [String: String] {
        let prefix = name + "/"
        return try Dictionary(
            uniqueKeysWithValues: objects().filter { $0.key.hasPrefix(prefix) }
                .map { (String($0.key.dropFirst(prefix.count)), $0.value) })
    }

    /// Stores an object.
    /// - Parameter text: a text without spaces.
    func put(_ text: String, as key: String) throws { _ = try answer(to: "put \(key) \(text)") }

    /// The number of requests that changed something.
    func writes() throws -> Int64 { try #require(answer(to: "writes").integer) }

    /// The number of uploads in parts that are neither completed nor aborted.
    func unfinishedUploads() throws -> Int64 { try #require(answer(to: "uploads").integer) }

    /// Lets some more requests change something, and cuts the connections of all after them.
    func cut(after writes: Int) throws { _ = try answer(to: "cut \(writes)") }

    /// Lets some more requests change something, and all after them wait for `resume`.
    func hold(after writes: Int) throws { _ = try answer(to: "hold \(writes)") }

    /// Carries out some requests that change something without answering them.
    func lose(answers: Int) throws { _ = try answer(to: "lose \(answers)") }

    /// Serves all requests again.
    func resume() throws { _ = try answer(to: "resume") }

    private func answer(to command: String) throws -> JSONView {
        child.send(command)
        let line = try #require(child.nextLine(), "\(child.standardError)")
        return try JSONDocument(parsing: Array(line.utf8)).root
    }
}

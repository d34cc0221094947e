package import AsyncHTTPClient
import NIOCore
import NIOHTTP1
package import Primitives

/// Stores and reads the objects of one bucket.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
package struct S3Bucket: Sendable {
    package struct Configuration: Sendable {
        package var address: S3Address
        package var signer: S3Signer
        /// The clock of this machine, which the service compares with its own.
        package var clock: @Sendable () -> Instant
        /// The real time from a request to the end of its answer.
        package var timeout = Duration.seconds(120)
        /// How often a request is made before its failure counts.
        package var attempts = 5
        /// The wait before the second attempt; it doubles with each.
        package var firstWait = Duration.milliseconds(250)
        /// The bytes in a part of an upload. All parts but the last have at least 5 MiB, and there are at most 10,000:
        /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
        package var partSize = 8 << 20

        package init(_ address: S3Address, _ signer: S3Signer, clock: @escaping @Sendable () -> Instant) {
            (self.address, self.signer, self.clock) = (address, signer, clock)
        }
    }

    /// The behaviour of the transport: no redirects, whose host the signature does not cover, and no second connection to
    /// a server that refuses one, since requests are repeated here.
    package static var transportConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    let configuration: Configuration
    private let transport: HTTPClient

    package init(_ configuration: Configuration, transport: HTTPClient) {
        (self.configuration, self.transport) = (configuration, transport)
    }

    /// Makes a request, again where a repetition may help, each time after a longer wait.
    /// - Parameter attempts: the number of attempts; nil for that of the configuration.
    /// - Throws: `ObjectStorageError`; `CancellationError`.
    func send(_ call: S3Call, attempts: Int? = nil) async throws -> S3Answer {
        var wait = configuration.firstWait
        for _ in 1..<max(1, attempts ?? configuration.attempts) {
            do {
                return try await sendOnce(call)
            } catch let error as ObjectStorageError where error.diagnosis.isRetryable {
                // Half of the wait is random, so that callers who failed together do not return together.
                try await Task.sleep(for: wait * Double.random(in: 0.5...1))
                wait *= 2
            }
        }
        return try await sendOnce(call)
    }

    private func sendOnce(_ call: S3Call) async throws -> S3Answer {
        let answer: S3Answer
        do {
            let timeout = TimeAmount.nanoseconds(Int64(configuration.timeout / .nanoseconds(1)))
            let response = try await transport.execute(signed(call), timeout: timeout)
            let body = try await response.body.collect(upTo: call.answerLimit)
            answer = S3Answer(
                status: response.status, headers: response.headers, body: Array(body.readableBytesView))
        } catch let error as CancellationError {
            throw error
        } catch is NIOTooManyBytesError {
            throw ObjectStorageError.refused(
                request: summary(of: call), found: "an answer of more than \(call.answerLimit) bytes")
        } catch {
            // The error of a transport never contains the headers that were sent.
            throw ObjectStorageError.unavailable(request: summary(of: call), found: "\(error)")
        }
        guard !answer.isTemporary else {
            throw ObjectStorageError.unavailable(request: summary(of: call), found: answer.summary)
        }
        return answer
    }

    private func signed(_ call: S3Call) -> HTTPClientRequest {
        let (address, signer, now) = (configuration.address, configuration.signer, configuration.clock())
        var headers = call.headers
        headers["host"] = address.host
        headers["x-amz-content-sha256"] = call.payload.hex
        headers["x-amz-date"] = S3Signer.timestamp(now)
        headers["x-amz-security-token"] = signer.credentials.sessionToken
        let canonical = CanonicalRequest(
            call.method.rawValue, path: address.path(of: call.key), query: call.query, headers: headers,
            payload: call.payload)
        var message = HTTPClientRequest(url: address.origin + canonical.target)
        message.method = call.method
        for (name, value) in headers { message.headers.add(name: name, value: value) }
        message.headers.add(name: "authorization", value: signer.authorization(of: canonical, at: now))
        message.body = call.body.map { .bytes($0) }
        return message
    }

    private func summary(of call: S3Call) -> String {
        "\(call.method.rawValue) \(configuration.address.origin)\(configuration.address.path(of: call.key))"
    }

    func refusal(of call: S3Call, _ answer: S3Answer) -> ObjectStorageError {
        .refused(request: summary(of: call), found: answer.summary)
    }
}

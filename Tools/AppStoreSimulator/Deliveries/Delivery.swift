import AppStoreModel
package import AppStoreSimulation
package import Primitives

/// A notification on its way to the server of the app.
package struct Delivery: Sendable {
    package struct Attempt: Hashable, Sendable {
        package let date: Instant
        package let result: SendAttemptResult

        package init(date: Instant, result: SendAttemptResult) {
            self.date = date
            self.result = result
        }
    }

    /// The notification as it is sent first.
    package let notification: StoreArtifact
    /// The type in version 1; nil for a notification of version 2.
    package let version1Type: Version1Type?
    /// The notificationUUID. One of version 1 has no such name; here, the type follows that of version 2.
    package let uuid: String
    package private(set) var attempts: [Attempt] = []
    /// The instant of the next attempt; nil when there is none.
    package private(set) var nextAttempt: Instant?
    /// Whether no attempt arrives.
    package let isLost: Bool
    /// Whether it is delivered once more after its success.
    private var isRepeated: Bool
    private let retries: [Int64]

    /// - Parameter isSent: whether the app has a server to send it to.
    init(
        _ notification: StoreArtifact, as type: Version1Type? = nil, uuid: String, isSent: Bool,
        environment: Environment, seed: UInt64,
        _ faults: Faults
    ) {
        self.notification = notification
        version1Type = type
        self.uuid = uuid
        let hours = type == nil ? Self.retryHours : Self.version1RetryHours
        retries = environment == .production ? hours : []
        // Depends on the seed and the notification alone, so that a run with the same seed has the same faults.
        var generator = SeededGenerator(seed: seed, stream: uuid.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        isLost = generator.happens(faults.lose)
        isRepeated = generator.happens(faults.repeats)
        var delay = faults.delay > 0 ? generator.number(in: 0...faults.delay) : 0
        if generator.happens(faults.reorder) { delay += generator.number(in: 0...6 * Instant.millisecondsPerHour) }
        nextAttempt = isSent ? notification.signedDate.advanced(byMilliseconds: delay) : nil
    }

    /// The hours from each failed attempt to the next, in production. In the sandbox, Apple tries once.
    /// https://developer.apple.com/documentation/appstoreservernotifications/responding-to-app-store-server-notifications
    package static let retryHours: [Int64] = [1, 12, 24, 48, 72]

    /// Those of version 1.
    package static let version1RetryHours: [Int64] = [6, 24, 48]

    /// The hours after which a notification is delivered once more, for no reason.
    private static let repetitionHours: Int64 = 2

    /// The date in the history: that of the first attempt.
    var sentDate: Instant { attempts.first?.date ?? notification.signedDate }

    /// Whether the server of the app has confirmed it.
    package var isSuccessful: Bool { attempts.contains { $0.result == .success } }

    /// Returns the notification as an attempt at `instant` sends it. Apple signs each attempt.
    package func notification(signedAt instant: Instant) -> StoreArtifact {
        attempts.isEmpty ? notification : notification.sentAgain(at: instant)
    }

    /// Returns the body of the next attempt in version 1; nil for a notification of version 2.
    package func version1Body(password: String) throws -> JSONValue? {
        try version1Type.map {
            try notification.version1Body(
                $0, password: password, attempt: attempts.count, signedBy: ReceiptSigner.standard)
        }
    }

    mutating func record(_ attempt: Attempt) {
        let hadSucceeded = isSuccessful
        attempts.append(attempt)
        nextAttempt = nil
        if attempt.result == .success {
            guard isRepeated, !hadSucceeded else { return }
            isRepeated = false
            nextAttempt = attempt.date.advanced(byMilliseconds: Self.repetitionHours * Instant.millisecondsPerHour)
        } else if !hadSucceeded, attempts.count <= retries.count {
            let hours = retries[attempts.count - 1]
            nextAttempt = attempt.date.advanced(byMilliseconds: hours * Instant.millisecondsPerHour)
        }
    }
}

/// Apple's word for the result of an attempt.
/// https://developer.apple.com/documentation/appstoreserverapi/sendattemptresult
package enum SendAttemptResult: String, Hashable, Sendable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"

    /// Apple takes any status from 200 to 206 as success.
    package init(status: Int) {
        switch status {
        case 200...206: self = .success
        case 300..<400: self = .circularRedirect
        default: self = .unsuccessfulStatus
        }
    }
}

extension SeededGenerator {
    /// - Parameter share: 0 ... 1
    mutating func happens(_ share: Double) -> Bool {
        Double(next() >> 11) / Double(1 << 53) < share
    }
}

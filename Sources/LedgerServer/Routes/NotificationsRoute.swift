import AppStoreVerification
import HTTPTypes
import Hummingbird
import Ingestion
import Primitives
import SubscriptionLedger

/// Receives App Store notifications. No key is required, because notifications are signed, or of version 1 with a
/// password. There is no rate limit per address: the App Store sends bursts from few addresses and retries a refused
/// notification only hours later. Verification is limited instead.
struct NotificationsRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/app-store/notifications"
    let access = Access.anybody
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.notificationBytes).root
        let content = try Self.content(of: body)
        let ledger = context.ledger
        let checked = try await ledger.verifications.run {
            await ledger.check(content, source: .http)
        }
        switch try await ledger.append([checked], source: .http)[0] {
        case .appended(let appended):
            return .json(
                .object([
                    "position": .integer(Int64(clamping: appended.position)),
                    "duplicate": .bool(appended.isDuplicate),
                ]), size: appended.position + 1)
        case .refused(let refusal, let isQuarantined):
            context.metrics.refusals.increment(refusal.code.rawValue)
            throw problem(with: refusal, isQuarantined: isQuarantined)
        case .kept(let refusal):
            context.metrics.refusals.increment(refusal.code.rawValue)
            throw Problem(.forbidden, refusal)
        }
    }

    private static func content(of body: JSONView) throws(Problem) -> FoundArtifact.Content {
        do throws(Refusal) {
            return try NotificationBody.content(of: body).get()
        } catch {
            throw Problem(.badRequest, error)
        }
    }

    /// Maps a refusal to a status. The App Store retries after a 5xx, so the answer is 503 when the operator can fix
    /// the cause: an unconfigured app, environment or shared secret, or a full quarantine.
    private func problem(with refusal: Refusal, isQuarantined: Bool) -> Problem {
        if [.bundleMismatch, .bundleUnknown, .environmentMismatch].contains(refusal.code) {
            return Problem(
                .serviceUnavailable, refusal, hint: "Add the app and its environments to the configuration.",
                retryAfter: Problem.configurationPause)
        }
        if refusal.code == .passwordMismatch, context.ledger.configuration.secrets.isEmpty {
            return Problem(
                .serviceUnavailable, refusal,
                hint: "Add sharedSecretFile to the app, or select version 2 in App Store Connect.",
                retryAfter: Problem.configurationPause)
        }
        if refusal.isQuarantined, !isQuarantined {
            return Problem(
                .serviceUnavailable, refusal, hint: "Free space in the quarantine with `subledger quarantine drop`.",
                retryAfter: Problem.configurationPause)
        }
        return Problem(.forbidden, refusal)
    }
}

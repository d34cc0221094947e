import AppStoreModel
import AppStoreVerification
import LedgerConfiguration
import Logging
import SubscriptionLedger

extension LedgerServer {
    /// What an operator must know of how this service is set up.
    var startUpNotes: [(Logger.Level, String)] {
        var notes: [(Logger.Level, String)] = []
        if configuration.apiKeys.isEmpty {
            let host = configuration.http.host
            notes.append((.warning, "no API keys are configured: whoever can reach \(host) may do everything"))
        }
        let trust = served.ledger.configuration.trust
        if trust.apps.isEmpty {
            notes.append((.warning, "no app is configured: notifications of any app are taken"))
        }
        for root in trust.configuredRoots {
            notes.append(
                (.warning, "signatures under the configured root \(root.fingerprint) count, which is for tests"))
        }
        for app in trust.apps where app.appAppleId == nil {
            if (app.environments ?? trust.environments).contains(Environment.production) {
                notes.append((.warning, "\(app.bundleId) has no appAppleId: in Production it is not checked"))
            }
        }
        return notes
    }
}

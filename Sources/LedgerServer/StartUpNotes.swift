import AppStoreModel
import AppStoreVerification
import LedgerConfiguration
import Logging
import SubscriptionLedger

extension LedgerServer {
    /// The warnings about the configuration of this service.
    var startUpNotes: [(Logger.Level, String)] {
        var notes: [(Logger.Level, String)] = []
        if configuration.apiKeys.isEmpty {
            let host = configuration.http.host
            notes.append((.warning, "no API keys configured: every caller that can reach \(host) has role admin"))
        }
        let trust = context.ledger.configuration.trust
        if trust.apps.isEmpty {
            notes.append((.warning, "no apps configured: notifications of every app are accepted"))
        }
        for root in trust.configuredRoots {
            notes.append(
                (.warning, "the configured root \(root.fingerprint) is trusted; use it for tests only"))
        }
        for app in trust.apps where app.appAppleId == nil {
            if (app.environments ?? trust.environments).contains(Environment.production) {
                notes.append((.warning, "\(app.bundleId) has no appAppleId: Production data is not checked for it"))
            }
        }
        return notes + pollingNotes
    }

    private var pollingNotes: [(Logger.Level, String)] {
        switch configuration.polling {
        case let polling? where !polling.isEnabled:
            [(.warning, "polling is not enabled: Apple is asked about the apps only by commands; set polling.enabled")]
        case nil where configuration.isPollingEnabled:
            [
                (
                    .warning,
                    "polling is enabled, but no app has a key for the App Store Server API or a shared secret"
                )
            ]
        default: []
        }
    }
}

package import AppStoreModel
package import Primitives

/// What an app transaction says of the download of the app itself.
package struct AppFact: Hashable, Sendable {
    package var originalApplicationVersion: String?
    package var originalPurchaseDate: Instant?
    package var originalPlatform: OriginalPlatform?
    package var preorderDate: Instant?

    package init() {}
}

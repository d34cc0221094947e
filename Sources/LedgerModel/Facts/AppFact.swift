package import AppStoreModel
package import Primitives

/// The content of an app transaction about the download of the app itself.
package struct AppFact: Hashable, BitwiseCopyable, Sendable {
    package var originalApplicationVersion: Symbol?
    package var originalPurchaseDate: Instant?
    package var originalPlatform: OriginalPlatform?
    package var preorderDate: Instant?

    package init() {}
}

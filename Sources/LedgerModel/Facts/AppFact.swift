package import AppStoreModel
package import Primitives

/// The statement of an app transaction or a receipt about the download of the app itself.
package struct AppFact: Hashable, BitwiseCopyable, Sendable {
    package var originalApplicationVersion: Symbol?
    package var originalPurchaseDate: Instant?
    package var originalPlatform: OriginalPlatform?
    package var preorderDate: Instant?
    /// The end of an app that an organisation bought and can take back. Only receipts can state it.
    package var expirationDate: Instant?

    package init() {}
}

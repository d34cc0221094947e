import AppStoreModel

extension AppFact {
    init(_ appTransaction: AppTransaction) {
        self.init()
        originalApplicationVersion = appTransaction.originalApplicationVersion?.symbol
        originalPurchaseDate = appTransaction.originalPurchaseDate
        originalPlatform = appTransaction.originalPlatform?.stated
        preorderDate = appTransaction.preorderDate
    }
}

extension AppFact {
    init(_ download: FirstDownload) {
        self.init()
        originalApplicationVersion = download.originalApplicationVersion?.symbol
        originalPurchaseDate = download.originalPurchaseDate
        expirationDate = download.expirationDate
    }
}

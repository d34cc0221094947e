import AppStoreModel

extension AppFact {
    init(_ appTransaction: AppTransaction) {
        self.init()
        originalApplicationVersion = appTransaction.originalApplicationVersion?.stated
        originalPurchaseDate = appTransaction.originalPurchaseDate
        originalPlatform = appTransaction.originalPlatform?.stated
        preorderDate = appTransaction.preorderDate
    }
}

import AppStoreModel
import Primitives

extension AppFact {
    func encode(to writer: inout FactWriter) {
        writer.field(1, originalApplicationVersion)
        writer.field(2, originalPurchaseDate)
        writer.field(3, originalPlatform)
        writer.field(4, preorderDate)
        writer.field(5, expirationDate)
    }

    init(from reader: inout FactReader) throws(FactCodecError) {
        self.init()
        originalApplicationVersion = try reader.symbol(1)
        originalPurchaseDate = try reader.instant(2)
        originalPlatform = try reader.vocabulary(3)
        preorderDate = try reader.instant(4)
        expirationDate = try reader.instant(5)
    }
}

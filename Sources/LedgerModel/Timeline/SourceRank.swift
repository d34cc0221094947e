/// The precedence of a source when two sources state one field.
package enum SourceRank: UInt8, Sendable, CaseIterable {
    case notificationV1 = 1
    case receiptInApp = 2
    case receiptFile = 3
    case verifyReceiptLatest = 4
    case jws = 5
}

extension SourceRank: Comparable {
    package static func < (left: SourceRank, right: SourceRank) -> Bool {
        left.rawValue < right.rawValue
    }
}

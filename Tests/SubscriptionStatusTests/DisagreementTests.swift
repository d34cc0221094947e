import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `A disagreement` {
    static let purchase = bought()

    /// A notification that carries the purchase and a status.
    static func status(
        _ code: SubscriptionStatusCode, signed: Int, uuid: NotificationUUID? = nil, position: Position = 0
    ) -> Observation {
        let notification = notified(.didRenew, signed: signed, status: code, transaction: purchase, position: position)
        guard let uuid, case .notification(var fact) = notification.fact else { return notification }
        fact.notificationUUID = uuid
        return observation(.notification(fact), signed: hour(signed), position: position)
    }

    static func text(_ observations: [Observation], at: Int) -> String? {
        state([purchase, info()] + observations, at: hour(at))?.disagreement.map {
            "\($0.position): \($0.signed) \($0.folded)"
        }
    }

    @Test func `is none where Apple signs what is folded`() {
        #expect(Self.text([Self.status(.active, signed: 100)], at: 200) == nil)
    }

    @Test func `is the signed status and the folded one at its signedDate`() {
        let observations = [Self.status(.billingRetry, signed: 100, position: 7)]
        #expect(
            [99, 100, 9 * month].map { Self.text(observations, at: $0) } == [
                nil, "7: billingRetry active", "7: billingRetry active",
            ])
    }

    @Test func `is the newest of several signed by then`() {
        let observations = [
            Self.status(.billingRetry, signed: 100, position: 7), Self.status(.expired, signed: 200, position: 3),
            Self.status(.active, signed: 300, position: 9),
        ]
        #expect(
            [199, 200, 400].map { Self.text(observations, at: $0) } == [
                "7: billingRetry active", "3: expired active", "3: expired active",
            ])
    }

    @Test func `is one, however often Apple sends the notification`() {
        let sent = [(100, 1), (101, 2), (105, 3)].map { Self.status(.expired, signed: $0, uuid: "U", position: $1) }
        let lineages = Lineage.components(of: [key(): Timeline([Self.purchase] + sent)])
        #expect(lineages.disagreements(rules: Rules()).map(\.position) == [1])
    }

    @Test func `is folded with all that is known, what was signed later too`() {
        let late = [Self.status(.expired, signed: month, position: 5), info(month + 10, .off)]
        #expect(Self.text(late, at: 2 * month) == nil)
    }

    @Test func `needs a purchase that has begun`() {
        #expect(Self.text([Self.status(.expired, signed: -5)], at: 10) == nil)
    }

    @Test func `is listed by key and signing`() {
        let other = key("2")
        let lineages = Lineage.components(of: [
            other: Timeline([bought("2"), Self.status(.expired, signed: 50, position: 1)]),
            key(): Timeline([
                Self.purchase, Self.status(.expired, signed: 90, position: 2),
                Self.status(.revoked, signed: 20, position: 3),
            ]),
        ])
        // Key 1 is revoked from hour 20, when status 5 was signed. That status agrees with the fold; status 2 does not.
        let listed = lineages.disagreements(rules: Rules()).map {
            "\($0.key.originalTransactionId) \($0.signedDate.milliseconds / 3_600_000) \($0.signed)"
        }
        #expect(listed == ["1 90 expired", "2 50 expired"])
    }
}

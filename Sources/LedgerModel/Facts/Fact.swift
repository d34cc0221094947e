/// What an observation says.
package indirect enum Fact: Hashable, Sendable {
    case transaction(TransactionFact)
    case renewal(RenewalFact)
    case notification(NotificationFact)
    case app(AppFact)
}

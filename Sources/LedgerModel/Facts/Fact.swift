/// What an observation says. Boxed, since timelines are sorted and merged: what moves is a pointer.
package indirect enum Fact: Hashable, Sendable {
    case transaction(TransactionFact)
    case renewal(RenewalFact)
    case notification(NotificationFact)
    case app(AppFact)
}

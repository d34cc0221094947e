/// The content of an observation. Indirect, so that sorting and merging timelines moves only pointers.
package indirect enum Fact: Hashable, Sendable {
    case transaction(TransactionFact)
    case renewal(RenewalFact)
    case notification(NotificationFact)
    case app(AppFact)
}

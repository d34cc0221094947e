import AppStoreModel
import AppStoreSimulation
package import Primitives

/// The clock, and what is due when it moves.
extension SimulatedAppStore {
    package var now: Instant { store.now }

    /// Whether the clock plays to an instant at maximum speed, or what was due there is still on its way.
    package var isPlaying: Bool { clock.goal != nil || isSending }

    package var clockState: (now: Instant, speed: VirtualClock.Speed, goal: Instant?) {
        (store.now, clock.speed, clock.goal)
    }

    package func set(_ speed: VirtualClock.Speed) { clock.set(speed) }

    /// Plays to an instant at maximum speed, without waiting for it.
    package func play(to instant: Instant) { clock.play(to: instant) }

    /// Moves the clock by one step, and notifies its followers.
    /// - Returns: what to send now.
    package func step(after elapsed: Duration) async -> Due {
        guard let instant = clock.step(after: elapsed) else {
            if ContinuousClock.now - notifiedAt > Self.silence { releaseFollowers() }
            return Due()
        }
        upcoming += store.advance(to: instant)
        collect()
        book.forget(before: instant.advanced(byMilliseconds: -historyDays * Instant.millisecondsPerDay))
        isSending = true
        await notifyFollowers()
        return Due(notifications: book.due(by: instant), postings: postings.due(by: instant))
    }

    /// Ends the step: everything due has been sent.
    package func endStep() { isSending = false }

    /// Adds the notifications whose signing date has come to the book, and what devices have to their postings.
    private func collect() {
        let now = store.now
        let environment = app.environment
        for artifact in upcoming where artifact.signedDate <= now {
            if configuration.isPosting { postings.add(artifact, isReceipt: postsReceipts(at: artifact.signedDate)) }
            note(artifact)
            guard let uuid = artifact.notificationUUID else { continue }
            let (seed, faults) = (configuration.simulation.seed, configuration.faults)
            book.add(
                Delivery(
                    artifact, uuid: uuid, isSent: configuration.isNotifying, environment: environment, seed: seed,
                    faults))
            for type in artifact.version1Types {
                book.add(
                    Delivery(
                        artifact, as: type, uuid: "\(uuid) \(type.rawValue)", isSent: true, environment: environment,
                        seed: seed, faults))
            }
        }
        upcoming.removeAll { $0.signedDate <= now }
    }

    private func note(_ artifact: StoreArtifact) {
        guard let customer = artifact.customer, customersByChange[artifact.change, default: []].count < 10,
            customersByChange[artifact.change]?.contains(customer) != true
        else { return }
        customersByChange[artifact.change, default: []].append(customer)
    }

    /// The days for which Apple keeps the history of notifications.
    var historyDays: Int64 { app.environment == .production ? 180 : 30 }

    package func record(_ result: SendAttemptResult, of uuid: String) {
        book.record(Delivery.Attempt(date: store.now, result: result), of: uuid)
    }

    package func record(_ posting: Int, isTaken: Bool) {
        if isTaken { finish(postings[posting]) }
        postings.record(posting, isTaken: isTaken, at: store.now)
    }

    /// Waits until the clock is past an instant. Whoever follows the clock asks again with each answer.
    package func follow(after instant: Instant) async -> Instant {
        if store.now <= instant { await withCheckedContinuation { followers.wait($0) } }
        return store.now
    }

    /// The longest time for which a follower waits for an answer.
    private static let silence = Duration.seconds(10)

    /// Answers all that wait, although the clock has not moved.
    func releaseFollowers() {
        notifiedAt = .now
        followers.notify()
        followers.giveUp()
    }

    private func notifyFollowers() async {
        notifiedAt = .now
        followers.notify()
        let timeout = Task {
            try await Task.sleep(for: .seconds(1))
            followers.giveUp()
        }
        await withCheckedContinuation { followers.awaitAll($0) }
        timeout.cancel()
    }
}

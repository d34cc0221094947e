import AppStoreModel
import Primitives

/// One customer of a simulation, with a relative for family sharing.
struct Household {
    var store: AppStore
    var generator: SeededGenerator
    let head: CustomerID
    let relative: CustomerID
    let horizon: Instant
    private let firstStory: Story
    private let isFirst: Bool
    private let moveIn: Instant
    /// The subscription of the stories: the first one bought, after a migration its successor.
    var subscription = SubscriptionID(index: 0)
    var hasShared = false
    /// The acts so far, which give the same history on a store like the one at first.
    private(set) var script: [ScriptedAct] = []

    init(_ index: Int, of simulation: Simulation) {
        generator = SeededGenerator(seed: simulation.seed, stream: UInt64(index) << 32 | 0xC057_0E12)
        firstStory = Story.allCases[index % Story.allCases.count]
        var configuration = simulation.store
        if firstStory == .postFromDevice { configuration.notifies = false }
        store = AppStore(configuration, opening: simulation.start, seed: simulation.seed, range: index)
        horizon = simulation.end
        isFirst = index == 0
        let token = generator.chance(percent: 50) ? generator.uuid() : nil
        head = store.addCustomer(
            number: index, storefront: generator.element(of: Storefront.all), appAccountToken: token)
        relative = store.addCustomer(number: simulation.customers + index)
        // At least two thirds of the time remain, so that the first story can finish.
        let third = (simulation.end.milliseconds - simulation.start.milliseconds) / 3_000
        moveIn = simulation.start.advanced(byMilliseconds: generator.number(in: 60...third) * 1_000)
    }

    /// Simulates the customer from the first purchase to the end of the simulation.
    mutating func live() {
        if isFirst { act(at: store.now) { store, _, now in store.sendTest(at: now) } }
        var story = firstStory
        buyFirst(for: story)
        while store.now < horizon {
            switch store[subscription].phase {
            case .active:
                if isPossible(story) { tell(story) }
                advance(to: store.end(of: subscription))
            case .gracePeriod, .billingRetry:
                act(at: momentAfter(days: 1...10)) { [head] store, _, fixed in
                    store.fixBilling(of: head, at: fixed)
                }
            case .expired, .revoked:
                comeBackOrLeave()
            }
            story = Story.drawn(&generator)
        }
    }

    private mutating func buyFirst(for story: Story) {
        let products = store.configuration.catalog.products.filter { product in
            guard let period = product.period, story.suits(product, in: store) else { return false }
            return period.unit != .year || !story.needsPeriodEnd
        }
        let product = generator.element(of: products)
        // An upgrade from a trial would end after the trial.
        let wantsOffer = story == .failTrial || story != .upgradeToShorterPlan && generator.chance(percent: 60)
        let takesOffer = product.introductoryOffer != nil && wantsOffer
        act(at: moveIn) { [head] store, _, moveIn in
            store.buy(product.id, by: head, offer: takesOffer ? .introductory : nil, at: moveIn)
        }
    }

    private mutating func comeBackOrLeave() {
        let moment = momentAfter(days: 1...100)
        guard generator.chance(percent: 60), moment < horizon else {
            store.advance(to: horizon)
            return
        }
        act(at: moment) { [head] store, _, moment in store.fixBilling(of: head, at: moment) }
        let group = store[subscription].group
        let products = store.configuration.catalog.products(inGroup: group)
            .filter { !store.withdrawnProductIds.contains($0.id) }
        guard !products.isEmpty else {
            store.advance(to: horizon)
            return
        }
        let product = generator.element(of: products)
        let isNew = store.customers[head.index].introConsumed[group] == nil
        let offers = product.offers.filter { $0.type != .introductory || isNew }
        var choice: OfferChoice?
        if !offers.isEmpty, generator.chance(percent: 50) {
            choice = generator.element(of: offers).id.map { .named($0) } ?? .introductory
        }
        act(at: moment) { [head, choice] store, _, moment in
            store.buy(product.id, by: head, offer: choice, at: moment)
        }
    }
}

/// An act of a customer or of the App Store, and the instant at which it happens.
struct ScriptedAct: Sendable {
    let date: Instant
    let perform: @Sendable (inout AppStore) -> Void
}

extension Household {
    /// Performs an act on the store and its subscription, and adds it to the script.
    @discardableResult
    mutating func act<Result>(
        at date: Instant, _ perform: @escaping @Sendable (inout AppStore, SubscriptionID, Instant) -> Result
    ) -> Result {
        let subscription = subscription
        script.append(ScriptedAct(date: date) { store in _ = perform(&store, subscription, date) })
        return perform(&store, subscription, date)
    }

    /// Advances the clock, but not past the end of the simulation.
    mutating func advance(to instant: Instant) {
        store.advance(to: max(store.now, min(instant, horizon)))
    }

    /// Returns a random whole second of the running period before its renewal can be charged; nil when none is left.
    mutating func moment() -> Instant? {
        let first = store.now.milliseconds / 1_000 + 60
        let renewal = store.end(of: subscription).milliseconds - 25 * Instant.millisecondsPerHour
        let last = min(renewal, horizon.milliseconds - 1) / 1_000
        guard first <= last else { return nil }
        return Instant(milliseconds: generator.number(in: first...last) * 1_000)
    }

    /// Returns `count` distinct moments in ascending order; nil when none is left.
    mutating func moments(_ count: Int) -> [Instant]? {
        guard let last = moment() else { return nil }
        var moments = [last]
        while moments.count < count {
            guard let other = moment() else { return nil }
            if moments.allSatisfy({ $0 != other }) { moments.append(other) }
        }
        return moments.sorted()
    }

    /// Charges the next period and returns a moment before it begins; nil when that is impossible.
    mutating func momentAfterCharge() -> Instant? {
        let end = store.end(of: subscription)
        let charged = end.advanced(byMilliseconds: -generator.number(in: 4...23) * Instant.millisecondsPerHour)
        guard charged > store.now, end < horizon else { return nil }
        store.advance(to: charged)
        guard store[subscription].phase == .active, store[subscription].autoRenews else { return nil }
        if !store.isRenewed(subscription) { act(at: charged) { $0.renew($1, at: $2) } }
        let milliseconds = generator.number(in: Instant.millisecondsPerHour...3 * Instant.millisecondsPerHour)
        return charged.advanced(byMilliseconds: milliseconds / 1_000 * 1_000)
    }

    mutating func momentAfter(days: ClosedRange<Int64>) -> Instant {
        let seconds = generator.number(in: days.lowerBound * 86_400...days.upperBound * 86_400)
        let now = store.now.milliseconds / 1_000
        return min(Instant(milliseconds: (now + seconds) * 1_000), horizon)
    }
}

import LedgerModel
import Primitives

extension Moment {
    /// The end of the contiguous chain of periods from `t`; the end of the newest when none covers `t`.
    ///
    /// A link counts once it has begun or Apple has signed it: a renewal charged ahead of its start does, one that
    /// was bought after `t` does not, just as an extension granted after `t` does not.
    var expiresAt: Instant? { chain.last?.end(at: t) }

    /// The links that carry the end onwards, oldest first.
    var chain: [Period] {
        guard let covering, var end = covering.end(at: t) else { return [period] }
        var links = [covering]
        for next in periods where next.isInForce(at: t) && next.isLink(by: t) && end.joins(next.start) {
            guard let nextEnd = next.end(at: t), nextEnd > end else { continue }
            end = nextEnd
            links.append(next)
        }
        return links
    }
}

extension Period {
    fileprivate func isLink(by t: Instant) -> Bool {
        if start <= t { return true }
        guard let first = sources.first else { return false }
        return first.time <= t
    }
}

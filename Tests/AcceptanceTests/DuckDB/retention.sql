-- Retention under the definition `default` with bridge none, by hand from transactions and movements of money.
-- Instants are milliseconds since 1970. No renewal is open at the instant of the question.
with recursive migrated as (
    -- A key that migrated continues the one that it names.
    select distinct originalTransactionId as key, originalTransactionId as first
    from transactions
    where originalTransactionId not in (select originalTransactionId from transactions where previous is not null)
    union
    select transactions.originalTransactionId, migrated.first
    from transactions join migrated on migrated.key = transactions.previous
),
accounts as (
    select first, min(appTransactionId) as account, min(subscriptionGroup) as subscriptionGroup
    from migrated join transactions on originalTransactionId = key
    group by first
),
-- The keys of an Apple account in one group are one subscription.
lineages as (
    select key,
        case when account is null then first
             else min(first) over (partition by account, subscriptionGroup) end as lineage
    from migrated join accounts using (first)
),
-- The copies of a transaction are one purchase. The newest copy states its end and its revocation.
copies as (
    select lineages.lineage, transactions.*,
        -- Apple may sign the status of a revocation without its date.
        case when status = 5 and revocationDate is null then signedDate end as statusRevokedAt
    from transactions join lineages on lineages.key = originalTransactionId
    where ownership = 'PURCHASED'
),
purchases as (
    select lineage, originalTransactionId as key, transactionId,
        min(purchaseDate) as start, min(signedDate) as firstSigned,
        last(expiresDate order by signedDate) as expires,
        first(expiresDate order by signedDate) as stated,
        last(productId order by signedDate) as product,
        last(price order by signedDate) as price,
        last(offer order by signedDate) as offer,
        last(terms order by signedDate) as terms,
        min(case when isUpgraded then signedDate end) as upgradedAt,
        last(revocationDate order by signedDate) as refundedAt,
        case when last(status order by signedDate) filter (where status is not null) = 5 then min(statusRevokedAt) end
            as statusRevokedAt,
        last(revocationType order by signedDate) as revocationType
    from copies
    group by all
),
migrations as (
    select previous, min(purchaseDate) as migratedAt from transactions where previous is not null group by previous
),
-- Another purchase took its place: the next one charged after an upgrade, the next one of the key, or the first one
-- after a migration.
replaced as (
    select *,
        least(
            (select min(other.start) from purchases other
             where other.lineage = purchases.lineage and other.transactionId <> purchases.transactionId
               and other.firstSigned >= purchases.upgradedAt),
            -- A key has one purchase at a time. Renewals may be charged ahead.
            (select min(other.start) from purchases other
             where other.key = purchases.key and other.firstSigned > purchases.firstSigned
               and other.start < purchases.expires),
            case when migratedAt > start or migratedAt >= firstSigned then migratedAt end
        ) as replacedAt
    from purchases left join migrations on migrations.previous = purchases.key
),
paid as (
    select *, least(expires, replacedAt) as servedUntil
    from replaced
    where price > 0 and coalesce(terms, '') <> 'FREE_TRIAL'
),
services as (
    select lineage, start,
        case
            when refundedAt is not null and coalesce(revocationType, 'REFUND_FULL') = 'REFUND_FULL' then start
            else least(servedUntil, coalesce(refundedAt, statusRevokedAt))
        end as until
    from paid
),
-- The first paid purchase that was not replaced before it began.
anchors as (
    select lineage, first(product order by start, transactionId) as product, min(start) as anchor
    from paid
    where replacedAt is null or replacedAt > start
    group by lineage
),
-- The duration of a product: the length of its first purchase without an offer.
durations as (
    select anchors.lineage, anchors.anchor,
        (select round((first(stated order by start) - min(start)) / 86400000) from purchases
         where purchases.lineage = anchors.lineage and purchases.product = anchors.product and offer is null) as days
    from anchors
),
members as (
    select lineage, anchor,
        -- At least the number of cells up to the instant of the question.
        greatest(0, ((select instant from question) - anchor) / 86400000 / (days * 0.9) + 2)::bigint as reachable,
        strftime(epoch_ms(anchor), '%Y-%m') as cohort,
        case when days between 6 and 8 then interval 7 days
             when days between 27 and 32 then interval 1 month
             when days between 58 and 63 then interval 2 months
             when days between 88 and 93 then interval 3 months
             when days between 179 and 185 then interval 6 months
             when days between 362 and 368 then interval 12 months end as duration
    from durations
),
cells as (
    select lineage, anchor, cohort, duration, k::integer as k,
        case when k = 0 then anchor else epoch_ms(epoch_ms(anchor) + duration * k::integer) + 86400000 end as s
    from (select *, unnest(range(0, reachable)) as k from members where duration is not null)
),
standings as (
    select cells.*,
        exists (select 1 from services where services.lineage = cells.lineage and start <= s and s < until) as retained
    from cells
    where s <= (select instant from question)
),
money as (
    select lineages.lineage, time, currency, amount from charges join lineages on lineages.key = originalTransactionId
),
sums as (
    select cohort, duration, k, currency, sum(amount) as amount
    from standings join money on money.lineage = standings.lineage and time <= s
    where currency is not null
    group by all
),
nets as (
    select cohort, duration, k, string_agg(currency || ' ' || amount, ' ' order by currency) as net
    from sums
    where amount <> 0
    group by all
),
counts as (
    select cohort, duration, k, count(*) as eligible, count(*) filter (retained) as retained
    from standings
    group by all
)
select cohort, duration::varchar as duration, k, eligible, retained, coalesce(net, '') as net
from counts left join nets using (cohort, duration, k)
order by all;

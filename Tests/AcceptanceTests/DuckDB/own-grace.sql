-- The subscriptions to which own grace of three days gives access: their renewal failed, and the period ended less than
-- three days ago. From the history, whose rows are the changes of each subscription, and the movements of money.
with latest as (
    select originalTransactionId, last(status order by time, number) as status, last(expiresAt order by time, number) as expiresAt,
        last(ownership order by time, number) as ownership
    from history
    where time <= (select instant from question)
    group by originalTransactionId
)
select originalTransactionId
from latest
where status = 'billingRetry'
    and (select instant from question) < expiresAt + 3 * 86400000
    and (ownership = 'FAMILY_SHARED'
        or originalTransactionId in (select originalTransactionId from charges where kind = 'sale'))
order by originalTransactionId;

-- Paid sales by the month of the sale, and those that were refunded and not given back by a reversal.
with movements as (
    select
        charges.environment, charges.bundle_id, charges.original_transaction_id, charges.product_id, charges.period_id,
        charges.currency,
        cast(date_trunc('month', charges.sale_at at time zone rules.zone) as date) as month,
        count(*) filter (where charges.kind = 'sale' and (charges.amount > 0 or charges.amount is null)) as sales,
        count(*) filter (where charges.kind = 'refund') - count(*) filter (where charges.kind = 'reversal') as refunds
    from {{ source('subledger', 'charges') }} as charges
    cross join {{ ref('rules_in_force') }} as rules
    group by
        charges.environment, charges.bundle_id, charges.original_transaction_id, charges.product_id, charges.period_id,
        charges.currency, cast(date_trunc('month', charges.sale_at at time zone rules.zone) as date)
),

months as (
    select
        environment, bundle_id, month, coalesce(currency, 'unknown') as currency,
        count(*) as sales,
        count(*) filter (where refunds > 0) as refunded
    from movements
    where sales > 0
    group by environment, bundle_id, month, coalesce(currency, 'unknown')
)

select
    environment, bundle_id, month, currency, sales, refunded,
    cast((20000 * refunded + sales - (20000 * refunded + sales) % (2 * sales)) / (2 * sales) as bigint) * 0.0001
        as refund_rate
from months

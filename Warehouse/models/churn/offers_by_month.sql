with outcomes as (
    select
        offers.environment, offers.bundle_id,
        cast(date_trunc('month', offers.started_at at time zone rules.zone) as date) as month,
        offers.product_id, offers.offer, offers.payment,
        count(*) as started,
        count(*) filter (where offers.outcome = 'pending') as pending,
        count(*) filter (where offers.outcome = 'converted') as converted,
        count(*) filter (where offers.outcome = 'notConverted') as not_converted,
        count(*) filter (where offers.outcome <> 'pending') as decided
    from {{ source('subledger', 'offers') }} as offers
    cross join {{ ref('rules_in_force') }} as rules
    group by
        offers.environment, offers.bundle_id, offers.product_id, offers.offer, offers.payment,
        cast(date_trunc('month', offers.started_at at time zone rules.zone) as date)
)

select
    environment, bundle_id, month, product_id, offer, payment, started, pending, converted, not_converted,
    case when decided > 0 then
        cast((20000 * converted + decided - (20000 * converted + decided) % (2 * decided)) / (2 * decided) as bigint)
            * 0.0001
    end as conversion_rate
from outcomes

-- The months have what the days have, under both bookings, and both bookings have the same in total.
with days as (
    select booking, environment, bundle_id, currency, sum(net) as net, sum(charges) as charges
    from {{ ref('revenue_by_day') }}
    group by booking, environment, bundle_id, currency
),

months as (
    select booking, environment, bundle_id, currency, sum(net) as net, sum(charges) as charges
    from {{ ref('revenue_by_month_and_cut') }}
    group by booking, environment, bundle_id, currency
)

select days.*
from days
left join months
    on days.booking = months.booking and days.environment = months.environment
    and days.bundle_id = months.bundle_id and days.currency = months.currency
left join days as other
    on days.booking <> other.booking and days.environment = other.environment
    and days.bundle_id = other.bundle_id and days.currency = other.currency
where months.net is null or other.net is null
    or days.net <> months.net or days.charges <> months.charges
    or days.net <> other.net or days.charges <> other.charges

select
    departures.environment, departures.bundle_id,
    cast(date_trunc('month', departures.churned_at at time zone rules.zone) as date) as month,
    departures.class,
    count(*) as departures,
    count(departures.reactivated_at) as reactivated
from {{ source('subledger', 'departures') }} as departures
cross join {{ ref('rules_in_force') }} as rules
group by
    departures.environment, departures.bundle_id, departures.class,
    cast(date_trunc('month', departures.churned_at at time zone rules.zone) as date)

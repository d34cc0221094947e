with recursive changes as (
    select
        retries.environment, retries.bundle_id, cast(retries.failed_at at time zone rules.zone as date) as day,
        1 as change
    from {{ source('subledger', 'retries') }} as retries
    cross join {{ ref('rules_in_force') }} as rules
    union all
    select
        retries.environment, retries.bundle_id, cast(retries.ended_at at time zone rules.zone as date), -1
    from {{ source('subledger', 'retries') }} as retries
    cross join {{ ref('rules_in_force') }} as rules
    where retries.ended_at is not null
),

days as (
    select environment, bundle_id, min(day) as day from changes group by environment, bundle_id
    union all
    select days.environment, days.bundle_id, cast(days.day + interval '1 day' as date)
    from days
    cross join {{ ref('rules_in_force') }} as rules
    where days.day < cast(rules.as_of at time zone rules.zone as date)
),

daily as (
    select environment, bundle_id, day, sum(change) as change from changes group by environment, bundle_id, day
)

select
    days.environment, days.bundle_id, days.day,
    cast(
        sum(coalesce(daily.change, 0)) over (
            partition by days.environment, days.bundle_id order by days.day rows unbounded preceding
        ) as bigint
    ) as in_retry
from days
left join daily
    on days.environment = daily.environment and days.bundle_id = daily.bundle_id and days.day = daily.day

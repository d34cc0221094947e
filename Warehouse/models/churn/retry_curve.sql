with recursive apps as (
    select environment, bundle_id, max(retry_day) as last_day
    from {{ source('subledger', 'retries') }}
    group by environment, bundle_id
),

days as (
    select environment, bundle_id, 1 as retry_day, last_day from apps
    union all
    select environment, bundle_id, retry_day + 1, last_day from days where retry_day < last_day
),

ends as (
    select
        environment, bundle_id, retry_day,
        count(*) as ended,
        count(*) filter (where outcome = 'recovered') as recovered,
        count(*) filter (where outcome = 'boughtAgain') as bought_again,
        count(*) filter (where outcome = 'lost') as lost,
        count(*) filter (where outcome = 'open') as still_open
    from {{ source('subledger', 'retries') }}
    group by environment, bundle_id, retry_day
)

select
    days.environment, days.bundle_id, days.retry_day,
    cast(
        sum(coalesce(ends.ended, 0)) over (
            partition by days.environment, days.bundle_id
            order by days.retry_day desc
            rows between unbounded preceding and current row
        ) as bigint
    ) as entered,
    coalesce(ends.recovered, 0) as recovered,
    coalesce(ends.bought_again, 0) as bought_again,
    coalesce(ends.lost, 0) as lost,
    coalesce(ends.still_open, 0) as still_open
from days
left join ends
    on days.environment = ends.environment and days.bundle_id = ends.bundle_id and days.retry_day = ends.retry_day

with newest as (
    select rules from {{ source('subledger', 'rules') }} order by position desc limit 1
),

loaded as (
    select as_of from {{ source('subledger', 'load') }} order by seq desc limit 1
)

select
    loaded.as_of,
    coalesce(cast(newest.rules as json) -> 'retention' ->> 'zone', 'UTC') as zone,
    coalesce(cast(newest.rules as json) -> 'retention' ->> 'weekStartsOn', 'monday') as week_starts_on,
    coalesce(cast(newest.rules as json) -> 'retention' ->> 'bridge', 'grace') as bridge
from loaded
left join newest on true

with sums as (
    select
        definition, environment, bundle_id, cohort, duration, k, currency,
        cast(sum(net) as decimal(38, 3)) as net,
        cast(sum(unknown) as bigint) as unknown
    from {{ source('subledger', 'cohort_net') }}
    where "by" = 'month'
    group by definition, environment, bundle_id, cohort, duration, k, currency
),

-- Computed once, whatever the planner expects.
cells as materialized (
    select * from {{ ref('retention_by_month') }}
),

-- Whole milliunits, for a quotient without floating point.
amounts as (
    select
        sums.*, cells.size, cells.eligible, cells.incomplete,
        cast(abs(sums.net) * 1000 as bigint) as milliunits
    from sums
    inner join cells
        on sums.definition = cells.definition and sums.environment = cells.environment
        and sums.bundle_id = cells.bundle_id and sums.cohort = cells.cohort and sums.duration = cells.duration
        and sums.k = cells.k
)

select
    definition, environment, bundle_id, cohort, duration, k, currency, size, eligible, net, unknown, incomplete,
    case when eligible > 0 then
        cast(
            (2 * milliunits + eligible - (2 * milliunits + eligible) % (2 * eligible)) / (2 * eligible) as bigint
        ) * case when net < 0 then -0.001 else 0.001 end
    end as net_per_member
from amounts

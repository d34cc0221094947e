with cells as (
    select
        definition, environment, bundle_id, cohort, duration, k,
        cast(sum(eligible) as bigint) as eligible,
        cast(sum(retained) as bigint) as retained,
        cast(sum(pending) as bigint) as pending,
        bool_or(incomplete) as incomplete
    from {{ source('subledger', 'cohorts') }}
    where "by" = 'month'
    group by definition, environment, bundle_id, cohort, duration, k
),

-- A cell that nobody has reached has no row, so the size is that of the first cells.
sizes as (
    select definition, environment, bundle_id, cohort, duration, cast(sum(size) as bigint) as size
    from {{ source('subledger', 'cohorts') }}
    where "by" = 'month' and k <= 0
    group by definition, environment, bundle_id, cohort, duration
)

select
    cells.definition, cells.environment, cells.bundle_id, cells.cohort, cells.duration, cells.k,
    sizes.size, cells.eligible, cells.retained, cells.pending,
    cells.incomplete or (cells.k >= 0 and cells.eligible < sizes.size) as incomplete,
    -- The quotient of integers, rounded half up to four digits without floating point.
    case when cells.eligible > 0 then
        cast(
            (20000 * cells.retained + cells.eligible - (20000 * cells.retained + cells.eligible) % (2 * cells.eligible))
            / (2 * cells.eligible) as bigint
        ) * 0.0001
    end as retention_rate
from cells
inner join sizes
    on cells.definition = sizes.definition and cells.environment = sizes.environment
    and cells.bundle_id = sizes.bundle_id and cells.cohort = sizes.cohort and cells.duration = sizes.duration

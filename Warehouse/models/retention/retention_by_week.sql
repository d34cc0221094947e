with members as (
    select
        members.*, rules.zone, rules.as_of,
        -- Truncation makes weeks begin on Monday.
        cast(
            date_trunc('week', members.anchor_at at time zone rules.zone + rules.into_week) - rules.into_week as date
        ) as cohort
    from {{ ref('retention_members') }} as members
    cross join (
        select
            rules_in_force.*,
            case when week_starts_on = 'sunday' then interval '1 day' else interval '0 days' end as into_week
        from {{ ref('rules_in_force') }} as rules_in_force
    ) as rules
),

cells as (
    select
        environment, bundle_id, cohort, duration, k, zone, as_of,
        count(*) as eligible,
        count(*) filter (where retained) as retained,
        count(*) filter (where pending) as pending
    from members
    group by environment, bundle_id, cohort, duration, k, zone, as_of
)

select
    cells.environment, cells.bundle_id, cells.cohort, cells.duration, cells.k,
    first_cells.eligible as size, cells.eligible, cells.retained, cells.pending,
    cells.eligible < first_cells.eligible or cells.pending > 0
        or (cells.cohort + interval '7 days') at time zone cells.zone > cells.as_of as incomplete,
    cast(
        (20000 * cells.retained + cells.eligible - (20000 * cells.retained + cells.eligible) % (2 * cells.eligible))
        / (2 * cells.eligible) as bigint
    ) * 0.0001 as retention_rate
from cells
inner join cells as first_cells
    on cells.environment = first_cells.environment and cells.bundle_id = first_cells.bundle_id
    and cells.cohort = first_cells.cohort and cells.duration = first_cells.duration and first_cells.k = 0

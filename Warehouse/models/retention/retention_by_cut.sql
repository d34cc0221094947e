select
    definition, environment, bundle_id, cohort, duration, product_id, subscription_group, storefront, offer, k,
    size, eligible, retained, pending, incomplete,
    case when eligible > 0 then
        cast(
            (20000 * retained + eligible - (20000 * retained + eligible) % (2 * eligible)) / (2 * eligible) as bigint
        ) * 0.0001
    end as retention_rate
from {{ source('subledger', 'cohorts') }}
where "by" = 'month'

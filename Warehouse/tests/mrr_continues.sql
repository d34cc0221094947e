-- A month opens with what the month before closed with. A month without a row has no recurring revenue.
with months as (
    select
        mrr.*,
        lag(closing) over (partition by definition, environment, bundle_id, currency order by month) as before,
        lag(month) over (partition by definition, environment, bundle_id, currency order by month) as month_before
    from {{ ref('mrr_by_month') }} as mrr
)

select *
from months
where opening <> case when month_before = cast(month - interval '1 month' as date) then before else 0 end
    or (before <> 0 and month_before < cast(month - interval '1 month' as date))

with months as (
    select revenue.*, cast(date_trunc('month', cast(day as timestamp)) as date) as month
    from {{ source('subledger', 'revenue') }} as revenue
)

select
    booking, environment, bundle_id, month, currency, product_id, subscription_group, storefront, offer,
    cast(sum(charges) as bigint) as charges,
    cast(sum(gross) as decimal(38, 3)) as gross,
    cast(sum(refunds) as decimal(38, 3)) as refunds,
    cast(sum(reversals) as decimal(38, 3)) as reversals,
    cast(sum(upgrade_credits) as decimal(38, 3)) as upgrade_credits,
    cast(sum(net) as decimal(38, 3)) as net,
    cast(sum(proceeds_before_tax) as decimal(38, 3)) as proceeds_before_tax,
    cast(sum(unknown_price) as bigint) as unknown_price,
    cast(sum(unknown_rate) as bigint) as unknown_rate
from months
group by booking, environment, bundle_id, month, currency, product_id, subscription_group, storefront, offer

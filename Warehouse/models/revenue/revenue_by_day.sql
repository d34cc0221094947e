select
    booking, environment, bundle_id, day, currency,
    cast(sum(charges) as bigint) as charges,
    cast(sum(gross) as decimal(38, 3)) as gross,
    cast(sum(refunds) as decimal(38, 3)) as refunds,
    cast(sum(reversals) as decimal(38, 3)) as reversals,
    cast(sum(upgrade_credits) as decimal(38, 3)) as upgrade_credits,
    cast(sum(net) as decimal(38, 3)) as net,
    cast(sum(proceeds_before_tax) as decimal(38, 3)) as proceeds_before_tax,
    cast(sum(unknown_price) as bigint) as unknown_price,
    cast(sum(unknown_rate) as bigint) as unknown_rate
from {{ source('subledger', 'revenue') }}
group by booking, environment, bundle_id, day, currency

select
    definition, environment, bundle_id, month, currency,
    cast(sum(opening) as decimal(38, 3)) as opening,
    cast(sum(new) as decimal(38, 3)) as new,
    cast(sum(recovered) as decimal(38, 3)) as recovered,
    cast(sum(reactivated) as decimal(38, 3)) as reactivated,
    cast(sum(expansion) as decimal(38, 3)) as expansion,
    cast(sum(contraction) as decimal(38, 3)) as contraction,
    cast(sum(churned) as decimal(38, 3)) as churned,
    cast(sum(moved) as decimal(38, 3)) as moved,
    cast(sum(closing) as decimal(38, 3)) as closing,
    cast(sum(unknown) as bigint) as unknown,
    bool_and(complete) as complete
from {{ source('subledger', 'mrr') }}
group by definition, environment, bundle_id, month, currency

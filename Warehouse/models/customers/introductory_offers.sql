select
    environment, bundle_id, account_id, subscription_group,
    case
        when reason in ('consumed', 'subscribed') then false
        when reason in ('lapsed', 'neverSubscribed') then true
    end as eligible,
    reason, consumed, consumed_at, product_id
from {{ source('subledger', 'intro_offers') }}

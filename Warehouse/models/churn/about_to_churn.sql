select
    churn.environment, churn.bundle_id, churn.unit_id, churn.original_transaction_id, churn.product_id,
    churn.about_to_churn_since as since, subscriptions.expires_at as ends_at
from {{ source('subledger', 'churn') }} as churn
inner join {{ source('subledger', 'subscriptions') }} as subscriptions
    on churn.environment = subscriptions.environment and churn.bundle_id = subscriptions.bundle_id
    and churn.original_transaction_id = subscriptions.original_transaction_id
where churn.about_to_churn_since is not null

select
    retries.environment, retries.bundle_id, retries.unit_id, retries.original_transaction_id, retries.product_id,
    retries.failed_at, retries.retry_day
from {{ source('subledger', 'retries') }} as retries
inner join {{ source('subledger', 'churn') }} as churn
    on retries.environment = churn.environment and retries.bundle_id = churn.bundle_id
    and retries.unit_id = churn.unit_id
-- Apple retries nothing for a subscriber who is active by another purchase.
where retries.outcome = 'open' and churn.in_retry_day is not null

select
    environment, bundle_id, unit_id, original_transaction_id, product_id, failed_at, ended_at as recovered_at,
    outcome = 'boughtAgain' as bought_again, retry_day
from {{ source('subledger', 'retries') }}
where outcome in ('recovered', 'boughtAgain')

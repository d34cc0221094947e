select
    environment, bundle_id, original_transaction_id, product_id, class, started_at as since, ended_at, refunded
from {{ source('subledger', 'offers') }}
where payment = 'free' and outcome = 'notConverted'

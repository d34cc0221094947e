select
    environment, bundle_id, unit_id, original_transaction_id, product_id, class, ended_at, churned_at, paid_days,
    accrual_lost_at, win_back_offer_ids
from {{ source('subledger', 'churn') }}
where accrual_lost_at is not null

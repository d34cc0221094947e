-- The 44 columns of RevenueCat's Scheduled Data Exports, version 5, in their order.
with purchases as (
    select
        *,
        type = 'autoRenewable' as is_auto_renewable,
        offer_type = 'introductory' as is_introductory,
        -- Exact decimals: a quotient may be floating point.
        proceeds_rate * 0.0001 as share
    from {{ source('subledger', 'periods') }}
    where not implied
)

select
    purchases.customer_handle as rc_original_app_user_id,
    purchases.customer_handle as rc_last_seen_app_user_id_alias,
    iso_countries.alpha2 as country,
    case when purchases.storefront is not null then 'store' end as country_source,
    purchases.product_id as product_identifier,
    cast(null as text) as product_display_name,
    purchases.duration as product_duration,
    purchases.started_at as start_time,
    case when purchases.is_auto_renewable then purchases.ended_at end as end_time,
    purchases.grace_expires_at as grace_period_end_time,
    coalesce(purchases.bridged_until, purchases.service_until) as effective_end_time,
    'app_store' as store,
    purchases.is_auto_renewable,
    purchases.is_introductory and purchases.payment = 'free' as is_trial_period,
    purchases.is_introductory and purchases.payment = 'paid' as is_in_intro_offer_period,
    purchases.environment <> 'Production' as is_sandbox,
    purchases.reporting_net as price_in_usd,
    purchases.reporting_gross as purchase_price_in_usd,
    purchases.share as takehome_percentage,
    cast(null as numeric) as tax_percentage,
    1 - purchases.share as commission_percentage,
    purchases.transaction_id as store_transaction_id,
    purchases.original_transaction_id as original_store_transaction_id,
    case when purchases.ownership = 'PURCHASED' and purchases.reversed_at is null
        then purchases.revoked_recorded_at
    end as refunded_at,
    purchases.renew_off_recorded_at as unsubscribe_detected_at,
    purchases.failure_recorded_at as billing_issues_detected_at,
    purchases.currency as purchased_currency,
    purchases.net as price_in_purchased_currency,
    purchases.gross as purchase_price_in_purchased_currency,
    purchases.entitlements as entitlement_identifiers,
    purchases.renewal_number,
    purchases.converts_trial as is_trial_conversion,
    cast(null as text) as presented_offering,
    purchases.ownership as ownership_type,
    cast(null as text) as reserved_subscriber_attributes,
    cast(null as text) as custom_subscriber_attributes,
    cast(null as text) as platform,
    cast(null as text) as experiment_id,
    cast(null as text) as experiment_variant,
    purchases.last_recorded_at as updated_at,
    purchases.offer_id as offer,
    purchases.offer_type,
    customers.first_seen_at as first_seen_time,
    cast(null as timestamptz) as auto_resume_time
from purchases
left join {{ source('subledger', 'customers') }} as customers on purchases.customer_handle = customers.customer_handle
left join {{ ref('iso_countries') }} as iso_countries on purchases.storefront = iso_countries.alpha3

-- The purchases that retention counts: the account's own, of subscriptions. A unit is of one app and environment.
with purchases as (
    select *
    from {{ source('subledger', 'periods') }}
    where not implied and ownership <> 'FAMILY_SHARED' and type in ('autoRenewable', 'unknown') and ended_at is not null
),

keys as (
    select distinct environment, bundle_id, original_transaction_id, unit_id from purchases
),

states as (
    select keys.unit_id, subscriptions.*
    from {{ source('subledger', 'subscriptions') }} as subscriptions
    inner join keys
        on subscriptions.original_transaction_id = keys.original_transaction_id
        and subscriptions.environment = keys.environment and subscriptions.bundle_id = keys.bundle_id
),

-- The first paid purchase. Several may begin at one instant.
anchors as (
    select
        members.environment, members.bundle_id, members.unit_id, members.anchor_at, members.duration,
        members.subscription_group, members.storefront, members.offer, purchases.product_id,
        row_number() over (
            partition by members.unit_id order by purchases.ended_at, purchases.transaction_id
        ) as purchase_number
    from {{ source('subledger', 'cohort_members') }} as members
    inner join purchases on members.unit_id = purchases.unit_id and members.anchor_at = purchases.started_at
    where members.definition = 'default' and members.duration <> 'unknown' and purchases.payment = 'paid'
        and (purchases.replaced_at is null or purchases.replaced_at > purchases.started_at)
),

-- Their cohort is unknown: purchases before the first paid one may be missing, or may have been paid.
uncertain as (
    select unit_id from states where history_incomplete
    union
    select anchors.unit_id
    from anchors
    inner join purchases on anchors.unit_id = purchases.unit_id
    where purchases.payment = 'unknown' and purchases.started_at < anchors.anchor_at
),

members as (
    select
        anchors.*,
        case when right(duration, 1) in ('M', 'Y')
            then cast(substr(duration, 2, length(duration) - 2) as integer)
                * case when right(duration, 1) = 'Y' then 12 else 1 end
            else 0
        end as months,
        case when right(duration, 1) in ('D', 'W')
            then cast(substr(duration, 2, length(duration) - 2) as integer)
                * case when right(duration, 1) = 'W' then 7 else 1 end
            else 0
        end as days
    from anchors
    where purchase_number = 1 and unit_id not in (select unit_id from uncertain)
),

-- The greatest number is that of the oldest cohort.
numbers as (
    select distinct k from {{ source('subledger', 'cohorts') }} where definition = 'default' and k >= 0
),

looks as (
    select
        members.*, numbers.k,
        -- Calendar arithmetic in UTC, whatever the zone of the connection. Apple's ends move by an hour with Pacific
        -- summer time, so later cells look a day later.
        case when numbers.k = 0 then members.anchor_at
            else (
                members.anchor_at at time zone 'UTC'
                + numbers.k * members.months * interval '1 month'
                + (numbers.k * members.days * 24 + 24) * interval '1 hour'
            ) at time zone 'UTC'
        end as looked_at
    from members
    cross join numbers
),

-- The times in which a unit pays, and those in which that is not decided. The second have no end while a gap is open.
times as (
    select unit_id, true as is_paid, started_at as begins_at, service_until as ends_at
    from purchases
    where payment = 'paid'
    union all
    select unit_id, true, ended_at, bridged_until
    from purchases
    where payment = 'paid' and bridged_until is not null
    union all
    select states.unit_id, false, purchases.ended_at, null
    from states
    inner join purchases
        on states.unit_id = purchases.unit_id and states.transaction_id = purchases.transaction_id
        and states.original_transaction_id = purchases.original_transaction_id
    cross join {{ ref('rules_in_force') }} as rules
    where purchases.payment = 'paid'
        and (
            states.reason = 'awaitingRenewal'
            or (states.status = 'gracePeriod' and rules.bridge in ('grace', 'retry'))
            or (states.status = 'billingRetry' and rules.bridge = 'retry')
        )
    union all
    select keys.unit_id, false, periods.started_at, periods.ended_at
    from {{ source('subledger', 'periods') }} as periods
    inner join keys
        on periods.original_transaction_id = keys.original_transaction_id
        and periods.environment = keys.environment and periods.bundle_id = keys.bundle_id
    where periods.implied and periods.ownership <> 'FAMILY_SHARED'
),

standings as (
    select
        looks.environment, looks.bundle_id, looks.unit_id, looks.anchor_at, looks.duration, looks.product_id,
        looks.subscription_group, looks.storefront, looks.offer, looks.k, looks.looked_at,
        coalesce(bool_or(times.is_paid), false) as retained,
        coalesce(bool_or(not times.is_paid), false) as waits
    from looks
    inner join {{ ref('rules_in_force') }} as rules on looks.looked_at <= rules.as_of
    left join times
        on looks.unit_id = times.unit_id and times.begins_at <= looks.looked_at
        and (looks.looked_at < times.ends_at or times.ends_at is null)
    group by
        looks.environment, looks.bundle_id, looks.unit_id, looks.anchor_at, looks.duration, looks.product_id,
        looks.subscription_group, looks.storefront, looks.offer, looks.k, looks.looked_at
)

select
    environment, bundle_id, unit_id, anchor_at, duration, product_id, subscription_group, storefront, offer, k,
    looked_at, retained, waits and not retained as pending
from standings

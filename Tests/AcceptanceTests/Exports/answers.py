"""Asks DuckDB for the numbers in exported tables: answers.py MANIFEST, one line of JSON for each question."""

import json
import pathlib
import sys

import duckdb

QUESTIONS = {
    "revenue": """
        select strftime(day, '%Y-%m') as month, currency, sum(charges)::bigint, sum(gross * 1000)::bigint,
               sum(net * 1000)::bigint, sum(proceeds_before_tax * 1000)::bigint, sum(unknown_price)::bigint
        from revenue where booking = 'movement' group by all order by all""",
    "charges": """
        select kind, coalesce(currency, ''), count(*), sum(amount * 1000)::bigint, count(*) - count(amount)
        from charges group by all order by all""",
    "status": "select status, entitled, count(*) from subscriptions group by all order by all",
    "changes": """
        select change, count(*) from history group by all order by all""",
    "cohorts": """
        select cohort, duration, k, sum(size)::bigint, sum(eligible)::bigint, sum(retained)::bigint,
               sum(pending)::bigint
        from cohorts where definition = 'default' and k >= 0 group by all order by all""",
    "members": """
        select definition, count(*) from cohort_members group by all order by all""",
    "sizes": """
        select definition, sum(size)::bigint
        from (select distinct on (definition, cohort, duration, product_id, subscription_group, storefront, offer)
                     definition, size from cohorts)
        group by all order by all""",
    "offers": """
        select offer, outcome, count(*) from offers group by all order by all""",
    "sales": """
        select coalesce(p.currency, ''), count(*), count(*) filter (p.gross is distinct from c.amount)
        from charges c join periods p using (environment, bundle_id, original_transaction_id, product_id, period_id)
        where c.kind = 'sale' group by all order by all""",
    "nets": """
        with net as (select environment, bundle_id, original_transaction_id, product_id, period_id,
                            case when count(*) = count(amount) then sum(amount) end as amount
                     from charges group by all)
        select count(*), count(*) filter (p.net is distinct from net.amount), count(*) filter (p.service_until < p.started_at)
        from net join periods p using (environment, bundle_id, original_transaction_id, product_id, period_id)""",
    "mrr": """
        select strftime(month, '%Y-%m'), currency, sum(opening * 1000)::bigint, sum(new * 1000)::bigint,
               sum(recovered * 1000)::bigint, sum(reactivated * 1000)::bigint, sum(expansion * 1000)::bigint,
               sum(contraction * 1000)::bigint, sum(churned * 1000)::bigint, sum(moved * 1000)::bigint,
               sum(closing * 1000)::bigint, sum(unknown)::bigint
        from mrr where definition = 'default' group by all order by all""",
    "waterfall": """
        select count(*) from (
            select *, lag(closing) over (partition by definition, environment, bundle_id, currency, product_id,
                                         subscription_group, storefront, offer order by month) as before
            from mrr)
        where opening + new + recovered + reactivated + expansion + contraction + churned + moved <> closing
           or before <> opening""",
    "churn": """
        select count(about_to_churn_since), count(in_retry_day),
               count(*) filter (churned_at is not null and reactivated_at is null) from churn""",
    "departures": """
        select strftime(timezone('Asia/Tokyo', churned_at), '%Y-%m'), class, count(*) from departures group by all order by all""",
    "retries": """
        select retry_day, count(*) filter (outcome = 'recovered'), count(*) filter (outcome = 'boughtAgain'),
               count(*) filter (outcome = 'lost'), count(*) filter (outcome = 'open')
        from retries group by all order by all""",
    "intro": """
        select consumed, count(*), count(consumed_at) from intro_offers group by all order by all""",
    "owners": """
        select count(*), count(*) filter (not list_contains(from_json(s.customer_handles, '["varchar"]'), o.customer_handle))
        from ownership o join subscriptions s using (environment, bundle_id, original_transaction_id)
        where owned_until is null""",
    "owned": """
        select sum(len(from_json(customer_handles, '["varchar"]')))::bigint from subscriptions""",
    "feed": """
        select environment, count(*), min(recorded_at) <= max(recorded_at), count(position) from transitions
        group by all order by all""",
    "customers": """
        select count(*), count(*) filter (anonymous), count(merged_into) from customers""",
    "anchors": """
        select count(*) from periods where anchor""",
    "events": """
        select count(*), min(position), max(position), count(distinct leaf_hash), count(notification_type)
        from events""",
    "gaps": """
        select count(*) from (select *, lead(changed_at) over k as next from history
        window k as (partition by environment, bundle_id, original_transaction_id order by changed_at, ordinal))
        where valid_until is distinct from next""",
}


def main(manifest: pathlib.Path):
    connection = duckdb.connect()
    connection.execute("set TimeZone = 'UTC'")
    for table in json.loads(manifest.read_bytes())["tables"]:
        parts = manifest.parent / table["name"] / "part-*.parquet"
        connection.execute(f"create view {table['name']} as select * from read_parquet('{parts}')")
        (count,) = connection.execute(f"select count(*) from {table['name']}").fetchone()
        assert count == table["after"]["rows"], table["name"]
        (total,) = connection.execute(f"select sum(row_digest::hugeint) from {table['name']}").fetchone()
        assert str(total or 0) == table["after"]["digestSum"], table["name"]
    for name, question in QUESTIONS.items():
        print(json.dumps([name, connection.execute(question).fetchall()]))


main(pathlib.Path(sys.argv[1]))

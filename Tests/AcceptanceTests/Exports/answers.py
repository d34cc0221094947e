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

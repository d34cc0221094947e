"""The numbers of the ledger's commands, and the same from the views of the warehouse.

Each comparison has the arguments of a command, the rows of its answer, and a query with the same rows. Amounts are
milliunits, rates ten-thousandths.
"""

import dataclasses
import datetime
import decimal
import json
import subprocess
from collections import Counter
from collections.abc import Callable

DEFINITIONS = ("default", "calendar-month", "renewals", "revenuecat-2024-10", "app-store-connect")
RECURRING = ("default", "revenuecat-2024-10", "iapkit")
CUTS = ("product", "group", "storefront", "offer")
SUMS = ("gross", "refunds", "reversals", "upgradeCredits", "net", "proceedsBeforeTax")
MOVEMENTS = ("opening", "new", "recovered", "reactivated", "expansion", "contraction", "churned", "moved", "closing")
CLASSES = (
    "voluntary", "voluntary/priceIncrease", "involuntary", "involuntary/productUnavailable", "unknown",
)

# The columns of RevenueCat's Scheduled Data Exports, version 5, as RevenueCat documents them.
REVENUECAT = """
    rc_original_app_user_id rc_last_seen_app_user_id_alias country country_source product_identifier
    product_display_name product_duration start_time end_time grace_period_end_time
    effective_end_time store is_auto_renewable is_trial_period is_in_intro_offer_period is_sandbox
    price_in_usd purchase_price_in_usd takehome_percentage tax_percentage commission_percentage
    store_transaction_id original_store_transaction_id refunded_at unsubscribe_detected_at
    billing_issues_detected_at purchased_currency price_in_purchased_currency
    purchase_price_in_purchased_currency entitlement_identifiers renewal_number is_trial_conversion
    presented_offering ownership_type reserved_subscriber_attributes custom_subscriber_attributes
    platform experiment_id experiment_variant updated_at offer offer_type first_seen_time
    auto_resume_time
""".split()


@dataclasses.dataclass
class Comparison:
    command: list[str]
    rows: Callable[[dict], list[tuple]]
    query: str


def rate(part: int, whole: int) -> int | None:
    """Ten-thousandths, rounded half up."""
    return (20000 * part + whole) // (2 * whole) if whole else None


def cut(row: dict, names: tuple[str, ...] = CUTS) -> tuple:
    return tuple(row["cut"][name] or ("none" if name == "offer" else "unknown") for name in names)


def cells(row: dict) -> list[dict]:
    """The cells of a cohort. One without a cell has a row of its own in the warehouse."""
    nobody = {"eligible": 0, "retained": 0, "pending": 0, "net": {}, "unknownPrice": 0}
    if row["cohort"] == "unknown":
        return [nobody | {"k": -1, "incomplete": False}]
    return row["cells"] or [nobody | {"k": 0, "incomplete": True}]


def duration(row: dict) -> str:
    return row["duration"] or ("unknown" if row["cohort"] == "unknown" else "all")


def retention(names: tuple[str, ...] = (), has_pending: bool = True) -> Callable[[dict], list[tuple]]:
    def rows(answer: dict) -> list[tuple]:
        return [
            (
                row["cohort"], duration(row), *cut(row, names), cell["k"], row["size"], cell["eligible"],
                cell["retained"], *((cell["pending"], cell["incomplete"]) if has_pending else ()),
                rate(cell["retained"], cell["eligible"]),
            )
            for row in answer["rows"] for cell in cells(row)
        ]

    return rows


def known(rows: Callable[[dict], list[tuple]]) -> Callable[[dict], list[tuple]]:
    return lambda answer: [row for row in rows(answer) if row[0] != "unknown"]


def lifetime_value(answer: dict) -> list[tuple]:
    found = []
    for row in answer["rows"]:
        for cell in cells(row):
            net = dict(cell["net"])
            if cell["unknownPrice"]:
                net.setdefault("unknown", 0)
            for currency, amount in net.items():
                unknown = cell["unknownPrice"] if currency == "unknown" else 0
                eligible = cell["eligible"]
                each = (2 * abs(amount) + eligible) // (2 * eligible) * (-1 if amount < 0 else 1)
                found.append(
                    (row["cohort"], duration(row), cell["k"], currency, row["size"], eligible, amount, unknown, each)
                )
    return found


def revenue(names: tuple[str, ...] = ()) -> Callable[[dict], list[tuple]]:
    def rows(answer: dict) -> list[tuple]:
        return [
            (
                row["period"], row["currency"] or "unknown", *cut(row, names), row["charges"],
                *(row[name] for name in SUMS), row["unknownPrice"], row.get("unknownRate", 0),
            )
            for row in answer["rows"]
        ]

    return rows


def recurring(answer: dict) -> list[tuple]:
    rows = [
        (row["period"], row["currency"] or "unknown", *(row[name] for name in MOVEMENTS), row["unknownPrice"])
        for row in answer["rows"]
    ]
    # The warehouse has no rows of zeros.
    return [row for row in rows if any(row[2:])]


def refund_rate(answer: dict) -> list[tuple]:
    sales: dict[tuple, list[dict]] = {}
    for row in answer["rows"]:
        key = (row["originalTransactionId"], row["productId"], row["transactionId"], row["saleAt"])
        sales.setdefault(key, []).append(row)
    months: dict[tuple, list[int]] = {}
    for movements in sales.values():
        kinds = Counter(row["kind"] for row in movements)
        sale = next(row for row in movements if row["kind"] == "sale")
        if sale["amount"] == 0:
            continue
        counts = months.setdefault((sale["saleAt"][:7], sale["currency"] or "unknown"), [0, 0])
        counts[0] += 1
        counts[1] += kinds["refund"] > kinds["reversal"]
    return [(*key, sales, refunded, rate(refunded, sales)) for key, (sales, refunded) in months.items()]


def prices(answer: dict) -> list[tuple]:
    """The gross and net amounts of each purchase, and the developer's share."""
    found: dict[tuple, list] = {}
    for row in answer["rows"]:
        purchase = found.setdefault((row["originalTransactionId"], row["transactionId"]), [None, 0, row["rate"]])
        if row["kind"] == "sale":
            purchase[0] = row["amount"]
        known = purchase[1] is not None and row["amount"] is not None
        purchase[1] = purchase[1] + row["amount"] if known else None
    return [(*key, *purchase) for key, purchase in found.items()]


def members(*names: str) -> Callable[[dict], list[tuple]]:
    return lambda answer: [(row["originalTransactionId"], *(row[name] for name in names)) for row in answer["rows"]]


def departures(answer: dict) -> list[tuple]:
    return [
        (row["period"], name, row[name]) for row in answer["rows"] for name in CLASSES if row[name]
    ]


def funnel(answer: dict) -> list[tuple]:
    found: Counter = Counter()
    for row in answer["rows"]:
        # The warehouse divides by what was paid, not by the terms.
        key = (row["period"], row["cut.product"] or "unknown", row["offer"].split(" ")[0])
        lost = sum(row[f"notConverted.{name}"] for name in CLASSES)
        for name, count in (*((name, row[name]) for name in ("started", "pending", "converted")), ("lost", lost)):
            found[*key, name] += count
    return [(*key, count) for key, count in found.items() if count]


def retention_query(columns: str, relation: str, condition: str, has_pending: bool = True) -> str:
    return f"""
        select {columns}, k, size, eligible, retained{", pending, incomplete" if has_pending else ""},
            cast(retention_rate * 10000 as bigint)
        from {relation} where environment = 'Production' and {condition}"""


def revenue_query(columns: str, relation: str, booking: str) -> str:
    return f"""
        select {columns}, charges, gross, refunds, reversals, upgrade_credits, net, proceeds_before_tax, unknown_price,
            unknown_rate
        from {relation} where environment = 'Production' and booking = '{booking}'"""


CUT_COLUMNS = "product_id, subscription_group, storefront, offer"
MONTH = "substr(cast(month as text), 1, 7)"


def comparisons(zone: str, currency: str | None, is_leeway_default: bool) -> dict[str, Comparison]:
    """The comparisons of a ledger.

    :param currency: the reporting currency of the export.
    :param is_leeway_default: whether members who await a renewal are those that count in numbers.
    """
    every, converted = ",".join(CUTS), ["--currency", currency] if currency else []
    found = {}
    for name in DEFINITIONS:
        of = ["cohorts", "--definition", name]
        condition = f"definition = '{name}'"
        found[f"retention {name}"] = Comparison(
            of, retention(), retention_query("cohort, duration", "retention_by_month", condition))
        found[f"retention by cut {name}"] = Comparison(
            [*of, "--cut", every], retention(CUTS),
            retention_query(f"cohort, duration, {CUT_COLUMNS}", "retention_by_cut", condition))
        found[f"lifetime value {name}"] = Comparison(
            of, lifetime_value,
            f"""select cohort, duration, k, currency, size, eligible, net, unknown, net_per_member
            from lifetime_value_by_month where environment = 'Production' and {condition}""")
    found["retention by week"] = Comparison(
        ["cohorts", "--definition", "default", "--by", "week"],
        known(retention(has_pending=is_leeway_default)),
        retention_query("cast(cohort as text), duration", "retention_by_week", "true", is_leeway_default))
    pending = ", count(*) filter (where pending)" if is_leeway_default else ""
    days = f"cast(cast(anchor_at at time zone '{zone}' as date) as text), duration, product_id, storefront, k"
    found["retention by day and storefront"] = Comparison(
        ["cohorts", "--definition", "default", "--by", "day", "--cut", "product,storefront"],
        lambda answer: [
            (
                row["cohort"], duration(row), *cut(row, ("product", "storefront")), cell["k"], cell["eligible"],
                cell["retained"], *([cell["pending"]] if is_leeway_default else []),
            )
            for row in answer["rows"] for cell in row["cells"]
        ],
        f"""select {days}, count(*), count(*) filter (where retained){pending}
        from retention_members where environment = 'Production' group by {days}""")
    for booking in ("movement", "sale"):
        of = ["revenue", "--refunds", booking, *converted]
        found[f"revenue by month, {booking}"] = Comparison(
            of, revenue(), revenue_query(f"{MONTH}, currency", "revenue_by_month", booking))
        found[f"revenue by day, {booking}"] = Comparison(
            [*of, "--by", "day"], revenue(),
            revenue_query("cast(day as text), currency", "revenue_by_day", booking))
        found[f"revenue by cut, {booking}"] = Comparison(
            [*of, "--cut", every], revenue(CUTS),
            revenue_query(f"{MONTH}, currency, {CUT_COLUMNS}", "revenue_by_month_and_cut", booking))
    if zone == "UTC":
        found["refund rate"] = Comparison(
            ["revenue", "--charges"], refund_rate,
            f"""select {MONTH}, currency, sales, refunded, cast(refund_rate * 10000 as bigint)
            from refund_rate_by_month where environment = 'Production'""")
    for name in RECURRING:
        found[f"recurring revenue {name}"] = Comparison(
            ["revenue", "--mrr", name, *converted], recurring,
            f"""select {MONTH}, currency, {', '.join(MOVEMENTS)}, unknown
            from mrr_by_month where environment = 'Production' and definition = '{name}'""")
    found["prices for RevenueCat"] = Comparison(
        ["revenue", "--charges"], prices,
        """select original_store_transaction_id, store_transaction_id, purchase_price_in_purchased_currency,
            price_in_purchased_currency, cast(takehome_percentage * 10000 as bigint)
        from revenuecat_v5 where not is_sandbox and is_auto_renewable and ownership_type <> 'FAMILY_SHARED'""")
    return found | churn_comparisons()


def churn_comparisons() -> dict[str, Comparison]:
    def segment(name: str, names: tuple[str, ...], columns: str, relation: str) -> Comparison:
        return Comparison(
            ["churn", "--segment", name], members(*names),
            f"select original_transaction_id, {columns} from {relation} where environment = 'Production'")

    return {
        "churn by month": Comparison(
            ["churn"], departures,
            f"select {MONTH}, class, departures from churn_by_month where environment = 'Production'"),
        "about to churn": segment(
            "aboutToChurn", ("productId", "since", "endedAt"), "product_id, since, ends_at", "about_to_churn"),
        "in retry": segment(
            "inRetry", ("productId", "since", "retryDay"), "product_id, failed_at, retry_day", "in_retry"),
        "recovered": segment(
            "recovered", ("productId", "since", "recoveredAt", "boughtAgain", "retryDay"),
            "product_id, failed_at, recovered_at, bought_again, retry_day", "recovered"),
        "win back": segment(
            "winBack", ("productId", "class", "endedAt", "churnedAt", "paidDays", "accrualLostAt"),
            "product_id, class, ended_at, churned_at, paid_days, accrual_lost_at", "win_back"),
        "trials not converted": segment(
            "trialNotConverted", ("class", "since"), "class, since", "trials_not_converted"),
        "in retry by day": Comparison(
            ["churn", "--segment", "inRetry", "--by", "day"],
            lambda answer: [(row["period"], row["inRetry"]) for row in answer["rows"]],
            "select cast(day as text), in_retry from in_retry_by_day where environment = 'Production'"),
        "retry curve": Comparison(
            ["churn", "--curve"],
            lambda answer: [
                tuple(row[name] for name in ("retryDay", "entered", "recovered", "boughtAgain", "lost", "open"))
                for row in answer["rows"]
            ],
            """select retry_day, entered, recovered, bought_again, lost, still_open
            from retry_curve where environment = 'Production'"""),
        "offers by month": Comparison(
            ["churn", "--funnel", "--by", "month", "--cut", "product"], funnel,
            f"""select {MONTH}, product_id, offer, outcome, count from (
                select month, product_id, offer, 'started' as outcome, sum(started) as count from offers_by_month
                where environment = 'Production' group by month, product_id, offer
                union all
                select month, product_id, offer, 'pending', sum(pending) from offers_by_month
                where environment = 'Production' group by month, product_id, offer
                union all
                select month, product_id, offer, 'converted', sum(converted) from offers_by_month
                where environment = 'Production' group by month, product_id, offer
                union all
                select month, product_id, offer, 'lost', sum(not_converted) from offers_by_month
                where environment = 'Production' group by month, product_id, offer
            ) as counts where count > 0"""),
    }


def plain(cell):
    """A value of a warehouse without what depends on the connection or the warehouse."""
    if isinstance(cell, datetime.datetime):
        utc = cell.astimezone(datetime.timezone.utc)
        return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(cell, (list, dict)):
        return json.dumps(cell, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    assert not isinstance(cell, float), cell
    return cell


def value(cell):
    """A value of a warehouse as the ledger's answers have it."""
    if not isinstance(cell, decimal.Decimal):
        return plain(cell)
    number = cell if cell.as_tuple().exponent == 0 else cell * 1000
    assert number == int(number), cell
    return int(number)


class Ledger:
    def __init__(self, program: str, folder: str, as_of: str):
        self.program, self.folder, self.as_of = program, folder, as_of
        self.answers: dict[tuple, dict] = {}

    def answer(self, command: list[str]) -> dict:
        key = tuple(command)
        if key not in self.answers:
            arguments = [self.program, *command, "--as-of", self.as_of, "--data", self.folder, "--format", "json"]
            run = subprocess.run(arguments, capture_output=True, text=True, check=False)
            assert run.returncode == 0, f"{' '.join(arguments)}: {run.stderr}"
            self.answers[key] = json.loads(run.stdout)
        return self.answers[key]


def compare(ledger: Ledger, name: str, comparison: Comparison, found: list[tuple]) -> list[str]:
    """The differences, in words."""
    expected = Counter(comparison.rows(ledger.answer(comparison.command)))
    actual = Counter(tuple(value(cell) for cell in row) for row in found)
    missing, more = sorted((expected - actual).elements(), key=str), sorted((actual - expected).elements(), key=str)
    if not missing and not more:
        return []
    return [f"{name}: {len(missing)} rows missing, such as {missing[:2]}; {len(more)} others, such as {more[:2]}"]

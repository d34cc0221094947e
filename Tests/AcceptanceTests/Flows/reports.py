"""Reports: what the ledger adds up, and what the simulated App Store knows of its subscribers (session 705)."""

import calendar
from datetime import datetime, timedelta

from stage import DAY, MOMENT, START, Player, Stage, call, flow, instant, iso

DAYS = 500
# The Billing Grace Period of the simulated app, which is shorter for weekly subscriptions.
GRACE, GRACE_OF_A_WEEK = 16 * DAY, 6 * DAY
# The numbers of the cells that are compared.
CELLS = [0, 1, 3, 12]
# No receipt tells that a part of a price was refunded, which subscription another one continues, or a grace period without
# a date from billing retry.
UNTOLD_BY_RECEIPTS = ["refundProrated", "refundOfUnknownKind", "migration", "graceWithoutDate"]


class Truth:
    """The subscribers of the simulated App Store. A subscriber is an original transaction id that was paid for."""

    def __init__(self, stage: Stage):
        self.url = stage.store.url
        self.known: dict[datetime, dict[str, dict]] = {}
        self.days = [self.at(START + number * DAY) for number in range(DAYS)]
        self.form = stage.form
        self.customers = stage.happened()

    def at(self, instant: datetime) -> dict[str, dict]:
        """The state of each subscriber at an instant."""
        if instant not in self.known:
            rows = call(f"{self.url}/simulator/truth?at={iso(instant)}")["subscriptions"]
            subscribers = [row for row in rows if row["ownership"] == "PURCHASED" and row["expiresAt"]]
            self.known[instant] = {row["originalTransactionId"]: row for row in subscribers}
        return self.known[instant]

    def in_retry(self, instant: datetime) -> dict[str, int]:
        """The subscribers whose renewal failed, with the day of retry."""
        return {
            key: (instant - end_of(row)) // DAY + 1
            for key, row in self.at(instant).items() if row["status"] in ("gracePeriod", "billingRetry")
        }  # fmt: skip

    def happened(self, changes: list[str], key: str) -> bool:
        """Whether one of the changes happened to a subscriber."""
        return any(self.days[-1][key]["customer"] in self.customers[change] for change in changes)

    def tells(self, key: str) -> bool:
        """Whether the form of the app can tell all of a subscriber."""
        return self.form == "transactions" or not self.happened(UNTOLD_BY_RECEIPTS, key)

    def paid_days(self, key: str, instant: datetime) -> int:
        return self.at(instant).get(key, {"paidDays": 0})["paidDays"]

    def is_simple(self, key: str) -> bool:
        """Whether service is what was paid for: nothing was refunded or given, or moved to another subscription."""
        if self.happened(["renewalExtension"], key):
            return False
        rows = [day[key] for day in self.days if key in day]
        falls = [after for before, after in zip(rows, rows[1:]) if after["paidDays"] < before["paidDays"]]
        # The count of paid days starts again 60 days after an end.
        refunded = any(row["revokedAt"] for row in rows) or any(row["status"] != "expired" for row in falls)
        return not refunded and sum(subscriber(row) == subscriber(rows[0]) for row in self.days[-1].values()) == 1

    def is_served(self, key: str, instant: datetime) -> bool:
        """Whether a subscriber has a paid period, or an interruption that ended while Apple granted grace."""
        row = self.at(instant)[key]
        if row["status"] == "gracePeriod":
            grace = GRACE_OF_A_WEEK if "weekly" in row["productId"] else GRACE
            return end_of(self.at(end_of(row) + grace - MOMENT)[key]) > end_of(row)
        days = [self.paid_days(key, instant + shift) for shift in (-DAY, timedelta(), DAY)]
        return row["status"] == "active" and len(set(days)) > 1


def end_of(row: dict) -> datetime:
    return instant(row["expiresAt"])


def subscriber(row: dict) -> tuple[int, str]:
    """The account and the group of a subscription."""
    return row["customer"], row["productId"].split(".")[0]


@flow(24)
def reports(player: Player):
    with player.stage(customers=60, scripted=True) as stage:
        while stage.now < START + (DAYS + 1) * DAY:
            stage.wait(days=1)
            stage.poll()
        truth = Truth(stage)
        check_retry_by_day(stage, truth)
        check_share(stage, truth)
        check_cohorts(stage, truth)


def check_retry_by_day(stage: Stage, truth: Truth):
    rows = stage.get("/v1/churn", segment="inRetry", by="day")["rows"]
    counts = {row["period"]: row["inRetry"] for row in rows}
    ends = [START + number * DAY - MOMENT for number in range(1, DAYS + 1)]
    expected = {f"{end:%Y-%m-%d}": len(truth.in_retry(end)) for end in ends}
    assert {day: counts.get(day, 0) for day in expected} == expected
    busiest = max(ends, key=lambda end: len(truth.in_retry(end)))
    found = stage.churn("inRetry", asOf=iso(busiest))
    assert {key: row["retryDay"] for key, row in found.items()} == truth.in_retry(busiest)


def check_share(stage: Stage, truth: Truth):
    """Apple pays 85 % of a sale from the one on before which a year was paid."""
    sales = [row for row in stage.get("/v1/revenue", charges="true")["rows"] if row["kind"] == "sale"]
    sales = [row for row in sales if truth.tells(row["originalTransactionId"])]
    different = [sale for sale in sales if not is_counted(sale, truth)]
    assert different == [], different
    assert len([sale for sale in sales if sale["rate"] == 8_500]) >= 5


def is_counted(sale: dict, truth: Truth) -> bool:
    """Whether a sale has the paid days of the truth, and the share that follows. The ledger rounds to whole days."""
    days = truth.paid_days(sale["originalTransactionId"], instant(sale["at"]))
    return sale["paidDays"] in (days, days + 1) and sale["rate"] == (8_500 if days >= 365 else 7_000)


def check_cohorts(stage: Stage, truth: Truth):
    rows = stage.get("/v1/cohorts", by="month")["rows"]
    members = set()
    for row in rows:
        for cell in row["cells"]:
            if cell["k"] in CELLS:
                members |= check_cell(stage, truth, row, cell)
    paid = {key for day in truth.days for key, row in day.items() if row["paidDays"] > 0 and truth.is_simple(key)}
    assert paid <= members and len(paid) >= 20, paid - members


def check_cell(stage: Stage, truth: Truth, row: dict, cell: dict) -> set[str]:
    """Returns the members of a cohort that are old enough for a cell."""
    answer = stage.get("/v1/cohorts", by="month", cell=f"{row['cohort']},{cell['k']}")
    members = [member for member in answer["subscriptions"] if member["duration"] == row["duration"]]
    assert len(members) == cell["eligible"] <= row["size"], row
    assert len([member for member in members if member["retained"]]) == cell["retained"], row
    for member in members:
        if truth.tells(member["originalTransactionId"]) and truth.is_simple(member["originalTransactionId"]):
            check_member(member, row["cohort"], cell["k"], truth)
    return {member["originalTransactionId"] for member in members}


def check_member(member: dict, cohort: str, number: int, truth: Truth):
    key, anchor = member["originalTransactionId"], instant(member["anchor"])
    # The first payment began a day before the first paid day was over.
    assert [truth.paid_days(key, anchor + DAY - MOMENT), truth.paid_days(key, anchor + DAY)] == [0, 1], member
    assert f"{anchor:%Y-%m}" == cohort, member
    looked_at = anchor if number == 0 else later(anchor, member["duration"], number) + DAY
    assert member["retained"] == truth.is_served(key, looked_at), member


def later(anchor: datetime, duration: str, count: int) -> datetime:
    """Returns the instant that is `count` durations such as P1M later. A month without that day has it at its end."""
    number, unit = int(duration[1:-1]) * count, duration[-1]
    if unit == "W":
        return anchor + timedelta(weeks=number)
    months = anchor.month - 1 + number * (12 if unit == "Y" else 1)
    year, month = anchor.year + months // 12, months % 12 + 1
    return anchor.replace(year=year, month=month, day=min(anchor.day, calendar.monthrange(year, month)[1]))

"""Takes over a business by its ids, beside questions about it and kills.

import.py SIMULATOR SUBLEDGER FOLDER SEED CUSTOMERS REPEATED KILLS

The simulated App Store plays a month and loses every notification. Then a file with the ids of all subscriptions and
their customers is posted again and again, while the ledger is killed at random and asked all the time, until no row
waits. After that the same with a file of REPEATED rows, the same ids over and over, of which every tenth is broken.
Prints a JSON object with the counts, the percentiles of the answers in milliseconds, and the differences.
"""

import http.client
import json
import pathlib
import random
import sys
import threading
import time
import urllib.request
from collections import Counter
from datetime import datetime, timedelta, timezone

sys.path.append(str(pathlib.Path(__file__).parent.parent / "Support"))
from beside_store import Ledger, Store, call, free_port, iso  # noqa: E402

simulator, subledger, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
seed, customers, repeated, kills = (int(text) for text in sys.argv[4:8])
START = datetime(2025, 1, 1, tzinfo=timezone.utc)
TAKEN_OVER = START + timedelta(days=27)
COMPARED = ["status", "productId", "expiresAt", "willRenew", "ownership"]
BROKEN = ["", "{}", "no JSON", '{"originalTransactionId":7}', '{"originalTransactionId":"1","receipt":"1"}']

generator = random.Random(seed)
counts = {"kills": 0, "asked": 0}
latencies: list[float] = []


class Questions(threading.Thread):
    """Asks about one subscription after the other, with a pause after each."""

    def __init__(self, port: int, ids: list[str]):
        super().__init__(daemon=True)
        self.port, self.ids, self.stopped = port, ids, threading.Event()

    def run(self):
        connection = None
        while not self.stopped.wait(0.005):
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                begin = time.perf_counter()
                connection.request("GET", f"/v1/subscriptions/{random.choice(self.ids)}")
                answer = connection.getresponse()
                answer.read()
                if answer.status in (200, 404):
                    latencies.append(1_000 * (time.perf_counter() - begin))
            except (OSError, http.client.HTTPException):
                connection = None


class Clock(threading.Thread):
    """Moves the clock, since calls wait for their budget and after failures."""

    def __init__(self, store: Store, now: datetime):
        super().__init__(daemon=True)
        self.store, self.now, self.stopped = store, now, threading.Event()

    def run(self):
        while not self.stopped.wait(0.1):
            self.now += timedelta(seconds=30)
            self.store.set_clock(self.now)


class Kills(threading.Thread):
    def __init__(self, ledger: Ledger, pause: float):
        super().__init__(daemon=True)
        self.ledger, self.pause, self.stopped = ledger, pause, threading.Event()

    def run(self):
        for _ in range(kills):
            if self.stopped.wait(self.pause * generator.uniform(0.5, 1.5)):
                return
            self.ledger.kill()
            counts["kills"] += 1
            self.ledger.start()


def post(ledger: Ledger, path: pathlib.Path) -> dict[int, str] | None:
    """Returns the verdicts; nothing when the ledger was killed meanwhile."""
    connection = http.client.HTTPConnection("127.0.0.1", ledger.port, timeout=60)
    try:
        with path.open("rb") as rows:
            connection.request("POST", "/v1/imports", rows, {"Content-Length": str(path.stat().st_size)})
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            lines = [json.loads(line) for line in answer.read().splitlines()]
        return {row["line"]: row["verdict"] for row in lines} if all("line" in row for row in lines) else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def finish(ledger: Ledger, path: pathlib.Path, count: int, pause: float) -> dict[int, str]:
    """Posts a file until every row has a verdict. Verdicts do not change."""
    known: dict[int, str] = {}
    killing = Kills(ledger, pause)
    killing.start()
    while len(known) < count or killing.is_alive():
        found = post(ledger, path)
        if found is None:
            time.sleep(0.05)
            continue
        assert len(found) == count, f"{len(found)} rows, {count} expected"
        for line, verdict in found.items():
            if verdict == "waiting":
                assert line not in known, f"line {line} was {known[line]}"
            else:
                assert known.setdefault(line, verdict) == verdict, f"line {line}: {known[line]}, then {verdict}"
        time.sleep(0.2)
        if len(known) == count and not killing.is_alive():
            break
    return known


def differences_of(ledger: Ledger, row: dict, now: datetime) -> list[str]:
    path = f"/v1/subscriptions/{row['originalTransactionId']}"
    found = call(f"{ledger.url}{path}?asOf={iso(now)}")["subscriptions"]
    if len(found) != 1:
        return [f"{row}: {len(found)} subscriptions"]
    differences = [
        f"{row['originalTransactionId']}: {name} {found[0][name]}, truth {row}; {found[0]}"
        for name in COMPARED
        if found[0][name] != row[name]
    ]
    owner = call(f"{ledger.url}/v1/customers/customer-{row['customer']}?asOf={iso(now)}")
    if row["originalTransactionId"] not in [owned["originalTransactionId"] for owned in owner["subscriptions"]]:
        differences.append(f"{row['originalTransactionId']}: not of customer {row['customer']}")
    return differences


def compare(ledger: Ledger, rows: list[dict], now: datetime) -> list[str]:
    """What changed and changed back after Apple was asked differs until it is asked again."""
    differences = []
    counts["changedMeanwhile"] = 0
    for row in rows:
        if differences_of(ledger, row, now):
            counts["changedMeanwhile"] += 1
            ledger.control("/control/poll", {"subscription": row["originalTransactionId"]})
            differences += differences_of(ledger, row, now)
    if counts["changedMeanwhile"] > len(rows) / 200:
        differences.append(f"{counts['changedMeanwhile']} rows changed meanwhile")
    return differences


def links(ledger: Ledger) -> Counter:
    found, after = Counter(), -1
    while True:
        with urllib.request.urlopen(f"{ledger.url}/v1/events?after={after}&limit=1000") as answer:
            rows = [json.loads(line) for line in answer.read().splitlines()]
        if not rows:
            return found
        after = rows[-1]["position"]
        found.update(row["body"]["originalTransactionId"] for row in rows if row["kind"] == "customerLinked")


store = Store(
    simulator, folder, "--seed", str(seed), "--customers", str(customers), "--months", "1", "--start", iso(START),
    "--fault", "lose=1",
)  # fmt: skip
ledger = None
try:
    store.set_clock(TAKEN_OVER)
    truth = call(f"{store.url}/simulator/truth?at={iso(TAKEN_OVER)}")["subscriptions"]
    rows = [row for row in truth if row["ownership"] == "PURCHASED" and row["status"] in ("active", "expired", "revoked")]
    ids = [row["originalTransactionId"] for row in rows]
    ledger = Ledger(subledger, folder, free_port(), store.url, concurrency=8)
    clock, questions = Clock(store, TAKEN_OVER), Questions(ledger.port, ids)
    clock.start()
    questions.start()

    file = folder / "ids.ndjson"
    file.write_text(
        "".join(
            json.dumps({"originalTransactionId": row["originalTransactionId"], "customerId": f"customer-{row['customer']}"})
            + "\n"
            for row in rows
        )
    )
    begin = time.monotonic()
    verdicts = finish(ledger, file, len(rows), pause=max(1, len(rows) / 2_000))
    counts["seconds"] = round(time.monotonic() - begin, 1)
    counts["rows"], counts["verdicts"] = len(rows), dict(Counter(verdicts.values()))
    first_latencies, latencies[:] = sorted(latencies), []

    large = folder / "large.ndjson"
    with large.open("w") as out:
        for number in range(repeated):
            broken = number % 10 == 3
            out.write(BROKEN[1 + number // 10 % 4] if broken else json.dumps({"originalTransactionId": ids[number % len(ids)]}))
            out.write("\n")
    begin = time.monotonic()
    verdicts = finish(ledger, large, repeated, pause=max(0.5, repeated / 50_000))
    counts["repeatedSeconds"] = round(time.monotonic() - begin, 1)
    counts["repeated"] = dict(Counter(verdicts.values()))
    questions.stopped.set()
    clock.stopped.set()
    questions.join()
    clock.join()
    for name, list_ in [("get", first_latencies), ("getDuringRepeated", sorted(latencies))]:
        counts[name] = {f"p{p}": round(list_[len(list_) * p // 100], 2) for p in (50, 99)} if list_ else None
    counts["asked"] = len(first_latencies) + len(latencies)
    # Apple was asked once about each. What changed since then is for polls.
    truth = call(f"{store.url}/simulator/truth?at={iso(clock.now)}")["subscriptions"]
    later = {row["originalTransactionId"]: row for row in truth}
    same = [row for row in rows if all(later[row["originalTransactionId"]][name] == row[name] for name in COMPARED)]
    counts["compared"] = len(same)
    differences = compare(ledger, same if len(same) < 2_000 else generator.sample(same, 2_000), clock.now)
    differences += [f"{id}: linked {count} times" for id, count in links(ledger).items() if count > 1]
    print(json.dumps({**counts, "differences": differences[:50], "different": len(differences)}))
finally:
    if ledger:
        ledger.stop()
    store.stop()

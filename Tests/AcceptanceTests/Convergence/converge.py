"""Plays a year of a simulated App Store with faults beside a ledger that is killed, and compares both at the end.

converge.py SIMULATOR SUBLEDGER FOLDER SEED CUSTOMERS FORM

Deliveries are lost, repeated, late, overtaken and signed anew; answers of Apple fail. The ledger asks what is due four
times a day and reconciles every four weeks. At the end, every subscription must equal the ground truth, and the
comparisons must name exactly the notifications that did not arrive. Everything follows from the seed. Prints a JSON
object with the counts and the differences.

FORM is what devices post. With "receipts", the ledger has a shared secret and no key: it gets notifications of version
1, asks verifyReceipt, and cannot reconcile. With "moving", devices post receipts in the first half of the year.
"""

import json
import pathlib
import random
import sys
import threading
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone

sys.path.append(str(pathlib.Path(__file__).parent.parent / "Support"))
from beside_store import Ledger, Store, call, free_port, iso  # noqa: E402

simulator, subledger, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
seed, customers, form = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]
MONTHS = 12
START = datetime(2025, 1, 1, tzinfo=timezone.utc)
STEP = timedelta(hours=6)
RECONCILING = timedelta(hours=1)
SETTLING = timedelta(days=40)
FAULTS = "lose=0.05,repeat=0.05,delay=6h,reorder=0.1,status429=0.01,status5xx=0.02,rotate=2025-06-01"
COMPARED = ["status", "productId", "expiresAt", "willRenew", "pendingProductId", "ownership", "revokedAt"]

generator = random.Random(seed)
# Whether a notification is lost, and the time of its first attempt, at which Apple dates it.
deliveries: dict[str, tuple[bool, str | None]] = {}
counts = {"kills": 0, "polled": 0, "changed": 0, "failed": 0, "matched": 0, "missing": 0, "lost": 0}


class PollingLedger(Ledger):
    def poll(self) -> int:
        found = self.control("/control/poll", {})
        for name in ["polled", "changed", "failed"]:
            counts[name] += found[name]
        return found["polled"]

    def reconcile(self, since: datetime):
        """The clock goes on, since calls wait for their budget and after failures. It ends at the same time always."""
        global now, compared_until
        answers = []
        end = now + RECONCILING
        window = {"since": iso(since), "until": iso(now)}
        thread = threading.Thread(target=lambda: answers.append(self.control("/control/reconcile", window)))
        thread.start()
        while thread.join(0.5) or thread.is_alive():
            now += timedelta(minutes=1)
            store.set_clock(now)
        assert now <= end, f"reconciling took until {now}, {end} expected"
        now = end
        store.set_clock(now)
        found = answers[0]
        assert "matched" in found, found
        for name in ["matched", "missing", "lost"]:
            counts[name] += found[name]
        assert found["missing"] == found["ingested"], found
        assert found["notCovered"] is None, found
        compared_until = found["until"]

    def events(self):
        after = -1
        while True:
            with urllib.request.urlopen(f"{self.url}/v1/events?after={after}&limit=1000") as answer:
                rows = [json.loads(line) for line in answer.read().splitlines()]
            if not rows:
                return
            yield from rows
            after = rows[-1]["position"]


def play(store: Store, ledger: PollingLedger):
    """Passes the time, and asks Apple as the ledger would do by itself."""
    global now
    reconciled = START
    end = START + timedelta(days=365)
    while now < end:
        now += STEP
        killed = generator.random() < 0.007
        if killed:
            ledger.kill()
            counts["kills"] += 1
        store.set_clock(now)
        if killed:
            ledger.start()
        ledger.poll()
        if form != "receipts" and now - reconciled >= timedelta(days=28):
            ledger.reconcile(reconciled - timedelta(hours=1))
            reconciled = now
            remember_deliveries(store)
    # Apple repeats deliveries for days, and what it never announces is asked about after 35 days of silence.
    for _ in range(SETTLING // STEP):
        now += STEP
        store.set_clock(now)
        ledger.poll()
    if form != "receipts":
        ledger.reconcile(reconciled - timedelta(hours=1))
    for _ in range(20):
        if ledger.poll() == 0:
            break
        now += timedelta(minutes=1)
        store.set_clock(now)


def compare(store: Store, ledger: PollingLedger) -> list[str]:
    differences = []
    rows = call(f"{store.url}/simulator/truth?at={iso(now)}")["subscriptions"]
    for row in rows:
        path = f"/v1/subscriptions/{row['originalTransactionId']}?environment=Production&asOf={iso(now)}"
        try:
            found = call(ledger.url + path)["subscriptions"]
        except urllib.error.HTTPError as error:
            found = []
            differences.append(f"{row['originalTransactionId']}: status {error.code}, truth {row}")
            continue
        if not found:
            differences.append(f"{row['originalTransactionId']}: nothing, truth {row}")
            continue
        for name in COMPARED:
            if found[0][name] != row[name]:
                differences.append(
                    f"{row['originalTransactionId']}: {name} {found[0][name]}, truth {row[name]};"
                    f" customer {row.get('customer')}, evidence {found[0]['evidence']}"
                )
    counts["subscriptions"] = len(rows)
    return differences


def remember_deliveries(store: Store):
    """The simulator forgets them after 180 days, as Apple does."""
    for row in call(store.url + "/simulator/deliveries"):
        first = row["attempts"][0]["date"] if row["attempts"] else None
        deliveries[row["notificationUUID"]] = (row["lost"], first)


def compare_deliveries(store: Store, ledger: PollingLedger) -> list[str]:
    """The notifications that came by reconciling are those that were dropped.

    What Apple did not try to deliver before the end of the last comparison is not in the history that was compared.
    """
    remember_deliveries(store)
    dropped = {uuid for uuid, (lost, first) in deliveries.items() if lost and first and first <= compared_until}
    came, reconciled = set(), set()
    for event in ledger.events():
        if event["kind"] != "notificationReceived":
            continue
        uuid = event["body"]["notificationUUID"]
        if event["source"] == "reconcile" and uuid not in came:
            reconciled.add(uuid)
        if event["source"] == "http":
            came.add(uuid)
    counts["deliveries"], counts["dropped"] = len(deliveries), len(dropped)
    # Reconciling found them before their delivery: Apple repeats it hours after a kill.
    counts["overtaken"] = len(reconciled - dropped)
    return [f"{uuid}: dropped, not found" for uuid in dropped - reconciled] + [
        f"{uuid}: found, not dropped" for uuid in reconciled - dropped if uuid not in came
    ]


port = free_port()
store = Store(
    simulator, folder, "--seed", str(seed), "--customers", str(customers), "--months", str(MONTHS),
    "--start", iso(START), "--fault", FAULTS,
    "--notify-v1" if form == "receipts" else "--notify", f"http://127.0.0.1:{port}/v1/app-store/notifications",
    "--post", f"http://127.0.0.1:{port}/v1/transactions", "--form", form,
)  # fmt: skip
ledger = None
try:
    now = START
    ways = ("verifyReceipt",) if form == "receipts" else ("serverAPI",)
    ledger = PollingLedger(subledger, folder, port, store.url, ways=ways)
    ledger.run("catalog", "apply", str(folder / "store" / "catalog.yaml"))
    play(store, ledger)
    differences = compare(store, ledger)
    if form != "receipts":
        differences += compare_deliveries(store, ledger)
    print(json.dumps({**counts, "differences": differences[:50], "different": len(differences)}))
finally:
    if ledger:
        ledger.stop()
    store.stop()

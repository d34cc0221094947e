"""Plays a year of a simulated App Store with faults beside a ledger that is killed, and compares both at the end.

converge.py SIMULATOR SUBLEDGER FOLDER SEED CUSTOMERS

Deliveries are lost, repeated, late, overtaken and signed anew; answers of Apple fail. The ledger asks what is due four
times a day and reconciles every four weeks. At the end, every subscription must equal the ground truth, and the
comparisons must name exactly the notifications that did not arrive. Everything follows from the seed. Prints a JSON
object with the counts and the differences.
"""

import http.client
import json
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone

simulator, subledger, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
seed, customers = int(sys.argv[4]), int(sys.argv[5])
MONTHS = 12
START = datetime(2025, 1, 1, tzinfo=timezone.utc)
STEP = timedelta(hours=6)
FAULTS = "lose=0.05,repeat=0.05,delay=6h,reorder=0.1,status429=0.01,status5xx=0.02,rotate=2025-06-01"
COMPARED = ["status", "productId", "expiresAt", "willRenew", "pendingProductId", "ownership", "revokedAt"]

generator = random.Random(seed)
deliveries: dict[str, bool] = {}
counts = {"kills": 0, "polled": 0, "changed": 0, "failed": 0, "matched": 0, "missing": 0, "lost": 0}


def iso(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def call(url: str, method: str = "GET", **members):
    request = urllib.request.Request(
        url, json.dumps(members).encode() if members else None, {"Content-Type": "application/json"}, method=method
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def listening(process: subprocess.Popen) -> str:
    line = process.stdout.readline().decode()
    assert line.startswith("listening on "), f"no listener: {line!r}"
    return line.removeprefix("listening on ").strip()


class Ledger:
    """A ledger beside a simulated App Store."""

    def __init__(self, port: int, store: str):
        self.port, self.store = port, store
        self.data, self.config = folder / "ledger", folder / "subledger.yaml"
        self.log = open(folder / "ledger.log", "ab")
        api = json.loads((folder / "store" / "api.json").read_text())
        self.config.write_text(
            json.dumps(
                {
                    "data": str(self.data),
                    "trust": {"roots": [str(folder / "store" / "root.der")]},
                    "apps": [
                        {
                            "bundleId": api["bundleId"],
                            "appAppleId": api["appAppleId"],
                            "environments": ["Production"],
                            "serverAPI": {
                                "issuerId": api["issuerId"],
                                "keyId": api["keyId"],
                                "keyFile": str(folder / "store" / "api-key.p8"),
                                "baseURL": api["baseURL"],
                            },
                        }
                    ],
                }
            )
        )
        self.start()

    def start(self):
        options = ["--config", str(self.config), "--port", str(self.port), "--clock", self.store + "/simulator/clock"]
        self.process = subprocess.Popen([subledger, "serve", *options], stdout=subprocess.PIPE, stderr=self.log)
        self.url = listening(self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()
        counts["kills"] += 1

    def run(self, *arguments: str):
        command = [subledger, *arguments, "--config", str(self.config), "--format", "json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def control(self, path: str, body: dict):
        """Does what a command hands over to the service, without a process each time."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(self.data / "control.sock"))
        connection.request("POST", path, json.dumps(body))
        answer = connection.getresponse()
        lines = answer.read().decode().splitlines()
        connection.close()
        assert answer.status == 200, lines
        return json.loads(lines[-1])

    def poll(self) -> int:
        found = self.control("/control/poll", {})
        for name in ["polled", "changed", "failed"]:
            counts[name] += found[name]
        return found["polled"]

    def reconcile(self, since: datetime):
        """The clock goes on, since calls wait for their budget and after failures."""
        global now
        answers = []
        window = {"since": iso(since), "until": iso(now)}
        thread = threading.Thread(target=lambda: answers.append(self.control("/control/reconcile", window)))
        thread.start()
        while thread.join(0.5) or thread.is_alive():
            now += timedelta(minutes=1)
            call(self.store + "/simulator/clock", "PUT", now=iso(now))
        found = answers[0]
        assert "matched" in found, found
        for name in ["matched", "missing", "lost"]:
            counts[name] += found[name]
        assert found["missing"] == found["ingested"], found
        assert found["notCovered"] is None, found

    def events(self):
        after = -1
        while True:
            with urllib.request.urlopen(f"{self.url}/v1/events?after={after}&limit=1000") as answer:
                rows = [json.loads(line) for line in answer.read().splitlines()]
            if not rows:
                return
            yield from rows
            after = rows[-1]["position"]


def play(store: str, ledger: Ledger):
    """Passes the time, and asks Apple as the ledger would do by itself."""
    global now
    reconciled = START
    end = START + timedelta(days=365)
    while now < end:
        now += STEP
        killed = generator.random() < 0.007
        if killed:
            ledger.kill()
        call(store + "/simulator/clock", "PUT", now=iso(now))
        if killed:
            ledger.start()
        ledger.poll()
        if now - reconciled >= timedelta(days=28):
            ledger.reconcile(reconciled - timedelta(hours=1))
            reconciled = now
            remember_deliveries(store)
    # Nothing is settled while Apple still repeats its deliveries.
    for _ in range(20):
        now += STEP
        call(store + "/simulator/clock", "PUT", now=iso(now))
        ledger.poll()
    ledger.reconcile(reconciled - timedelta(hours=1))
    for _ in range(20):
        if ledger.poll() == 0:
            break
        now += timedelta(minutes=1)
        call(store + "/simulator/clock", "PUT", now=iso(now))


def compare(store: str, ledger: Ledger) -> list[str]:
    differences = []
    rows = call(f"{store}/simulator/truth?at={iso(now)}")["subscriptions"]
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


def remember_deliveries(store: str):
    """The simulator forgets them after 180 days, as Apple does."""
    deliveries.update({row["notificationUUID"]: row["lost"] for row in call(store + "/simulator/deliveries")})


def compare_deliveries(store: str, ledger: Ledger) -> list[str]:
    """The notifications that came by reconciling are those that were dropped."""
    remember_deliveries(store)
    dropped = {uuid for uuid, lost in deliveries.items() if lost}
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
    return [f"{uuid}: dropped, not found" for uuid in dropped - reconciled] + [
        f"{uuid}: found, not dropped" for uuid in reconciled - dropped if uuid not in came
    ]


port = free_port()
store_process = subprocess.Popen(
    [simulator, "serve", "--pause", "--seed", str(seed), "--customers", str(customers), "--months", str(MONTHS),
     "--start", iso(START), "--port", "0", "--out", str(folder / "store"), "--fault", FAULTS,
     "--notify", f"http://127.0.0.1:{port}/v1/app-store/notifications",
     "--post", f"http://127.0.0.1:{port}/v1/transactions"],
    stdout=subprocess.PIPE,
)  # fmt: skip
ledger = None
try:
    store = listening(store_process)
    now = START
    ledger = Ledger(port, store)
    ledger.run("catalog", "apply", str(folder / "store" / "catalog.yaml"))
    play(store, ledger)
    differences = compare(store, ledger) + compare_deliveries(store, ledger)
    print(json.dumps({**counts, "differences": differences[:50], "different": len(differences)}))
finally:
    for process in [ledger.process if ledger else None, store_process]:
        if process:
            process.send_signal(signal.SIGTERM)
            process.wait()

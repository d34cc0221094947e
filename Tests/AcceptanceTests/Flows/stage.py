"""A simulated App Store, a ledger on its clock, and devices that do only what a flow says."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

sys.path.append(str(pathlib.Path(__file__).parent.parent / "Support"))
from beside_store import Ledger, Store, call, free_port, iso  # noqa: E402, F401

START = datetime(2025, 1, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
MOMENT = timedelta(milliseconds=1)
# The groups of the products of the store.
PRO, NEWS = "21000001", "21000002"
FLOWS = {}


def flow(number: int):
    """Registers a function as a flow of the talks."""

    def register(play):
        assert number not in FLOWS, number
        FLOWS[number] = play
        return play

    return register


def ask(url: str, method: str = "GET", body: dict | None = None) -> tuple[int, dict]:
    """Returns the status and the JSON of an answer, of a refusal too."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


def apart_from_positions(answer):
    """Returns an answer without what depends on the place of events in the log."""
    if isinstance(answer, list):
        return [apart_from_positions(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    places = ("evidence", "knownAt", "recordedAt", "position")
    return {name: apart_from_positions(value) for name, value in answer.items() if name not in places}


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def fixture(name: str) -> pathlib.Path:
    """Returns the path of a recorded file. SUBLEDGER_FIXTURES names their folder."""
    default = pathlib.Path(__file__).parents[4] / "shared" / "fixtures"
    return pathlib.Path(os.environ.get("SUBLEDGER_FIXTURES", default)) / name


class Device:
    """The app on the device of a customer of the store. It talks to the ledger as its form demands."""

    def __init__(self, stage: "Stage", number: int):
        self.stage = stage
        self.number = number
        self.url = f"{stage.store.url}/simulator/devices/{number}"
        self.customer_url = f"{stage.store.url}/simulator/customers/{number}"
        self.launch()
        # It changes nothing, but from now on the customer does not follow the simulator's script.
        self.act("fix-billing")

    def launch(self) -> list[dict]:
        """Starts the app, and returns the payment queue."""
        return call(self.url)["queue"]

    def buy(self, product: str, **options) -> dict | None:
        return call(f"{self.url}/purchase", "POST", productId=product, **options)["transaction"]

    def answer(self, approved: bool) -> dict:
        """Answers what the customer asked to buy, as the parent."""
        return call(f"{self.url}/answer", "POST", approved=approved)["transaction"]

    def act(self, name: str, **members):
        """Does what a customer does outside the app: cancel, resubscribe, refund, consent, share, stop-sharing, fail-billing,
        fix-billing.
        """
        status, answer = ask(f"{self.customer_url}/{name}", "POST", members)
        assert status == 200, answer
        return answer

    def restore(self) -> list[dict]:
        return call(f"{self.url}/restore", "POST")["queue"]

    def receipt(self, **options) -> str:
        query = "&".join(f"{name}={value}" for name, value in options.items())
        return call(f"{self.url}/receipt?{query}")["receipt"]

    def transaction_receipt(self, **options) -> str:
        """The receipt of the newest purchase, as apps sent it until iOS 6."""
        *_, item = [item for item in self.launch() if item["transactionId"]]
        query = "&".join(f"{name}={value}" for name, value in options.items())
        url = f"{self.url}/transaction-receipt?transactionId={item['transactionId']}&{query}"
        return call(url)["receipt"]

    def posting(self) -> dict:
        """The purchases that the app sends: its receipt, or the signed transactions of its queue."""
        if self.stage.form == "receipts":
            return {"receipt": self.receipt()}
        signed = [item["signedTransactionInfo"] for item in self.launch() if item["state"] in ("purchased", "restored")]
        return {"signedTransactions": signed}

    def current(self) -> dict:
        """What the app finds on a device that is new to it: the receipt, or all transactions of the Apple account."""
        if self.stage.form == "receipts":
            return {"receipt": self.receipt()}
        return {"signedTransactions": call(f"{self.url}/transactions")["signedTransactions"]}

    def post(self, customer: str | None = None, **members) -> dict:
        """Posts the purchases, and returns the answer."""
        name = {} if customer is None else {"customerId": customer}
        status, answer = ask(f"{self.stage.ledger.url}/v1/transactions", "POST", {**self.posting(), **name, **members})
        assert status == 200, answer
        return answer

    def finish(self, answer: dict):
        """Finishes the transactions that an answer names, and those that came to nothing."""
        names = {row["transactionId"] for row in answer["finish"]}
        for item in self.launch():
            if item["state"] == "failed" or item["transactionId"] in names:
                call(f"{self.url}/finish", "POST", payment=item["payment"])

    def open(self, customer: str | None = None, **members) -> dict:
        """Starts the app, which posts its purchases and finishes them."""
        answer = self.post(customer, **members)
        self.finish(answer)
        return answer


class Stage:
    """The store and the ledger of one flow.

    `form` is that of the app: with "receipts", the ledger has a shared secret and gets notifications of version 1; with
    "transactions", it has a key for the Server API and gets those of version 2. The customers do only what the flow
    says. With `scripted` they follow the script of the store, and their devices post what they buy.
    """

    def __init__(
        self, simulator: str, subledger: str, folder: pathlib.Path, form: str, *, notified: bool = True,
        environment: str = "Production", customers: int = 3, fault: str = "",
        start: datetime = START, scripted: bool = False, grace: bool = True,
    ):  # fmt: skip
        self.form, self.folder, self.subledger, self.environment = form, folder, subledger, environment
        self.now = start
        folder.mkdir()
        port = free_port()
        url = f"http://127.0.0.1:{port}/v1"
        options = ["--customers", f"{customers}", "--months", "24", "--start", iso(start), "--environment", environment]
        if notified:
            options += ["--notify" if form == "transactions" else "--notify-v1", f"{url}/app-store/notifications"]
        if not grace:
            options += ["--no-grace"]
        if scripted:
            options += ["--post", f"{url}/transactions", "--form", form]
        self.store = Store(simulator, folder, *options, "--fault", fault)
        way = "serverAPI" if form == "transactions" else "verifyReceipt"
        self.ledger = Ledger(
            subledger, folder, port, self.store.url, ways=(way,), environments=("Production", "Sandbox")
        )
        self.ledger.run("catalog", "apply", str(folder / "store" / "catalog.yaml"))
        self.devices = [] if scripted else [Device(self, number) for number in range(customers)]

    def stop(self):
        self.ledger.stop()
        self.store.stop()

    def relative(self, number: int) -> Device:
        """The device of a customer's relative, which buys without an appAccountToken."""
        return Device(self, len(self.devices) + number)

    def wait(self, **duration):
        """Lets time pass, given as of `timedelta`. Returns when the ledger has what the store sent in that time."""
        self.wait_until(self.now + timedelta(**duration))

    def wait_until(self, instant: datetime):
        self.now = instant
        self.store.set_clock(instant)

    def get(self, path: str, **query) -> dict:
        """Asks the ledger."""
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return call(f"{self.ledger.url}{path}?{text}")

    def customer(self, name: str, **query) -> dict:
        return self.get(f"/v1/customers/{name}", **query)

    def subscription(self, name: str, **query) -> dict:
        """The only subscription of a customer."""
        (row,) = self.customer(name, **query)["subscriptions"]
        return row

    def states(self, name: str, **query) -> dict[str, str]:
        """The state of each product and group of a customer."""
        answer = self.customer(name, **query)
        products = {row["productId"]: row["state"] for row in answer["products"]}
        return products | {row["group"]: row["state"] for row in answer["groups"]}

    def subscriptions(self, name: str, **query) -> dict[str, dict]:
        """The subscriptions of a customer by their product."""
        return {row["productId"]: row for row in self.customer(name, **query)["subscriptions"]}

    def next_step(self, name: str) -> dict:
        """The only step that a customer is asked to take."""
        (step,) = self.customer(name)["nextSteps"]
        return step

    def churn(self, segment: str, **query) -> dict[str, dict]:
        """The subscribers of a segment by their original transaction id."""
        rows = self.get("/v1/churn", segment=segment, **query)["rows"]
        return {row["originalTransactionId"]: row for row in rows}

    def history(self, name: str) -> list[dict]:
        """The transitions of the only subscription of a customer."""
        (row,) = self.get(f"/v1/customers/{name}/history")["subscriptions"]
        return row["transitions"]

    def changes(self, name: str) -> list[str]:
        return [change for row in self.history(name) for change in row["change"]]

    def happened(self) -> dict[str, list[int]]:
        """The changes in the store, each with the first customers to whom it happened."""
        return call(f"{self.store.url}/simulator/changes")

    def truth(self, number: int) -> list[dict]:
        """The purchases of a customer as the store knows them."""
        return call(f"{self.store.url}/simulator/customers/{number}")["subscriptions"]

    def verify_receipt(self, receipt: str) -> dict:
        """Asks Apple about a receipt, as the ledger does."""
        secret = (self.folder / "store" / "shared-secret").read_text().strip()
        return call(f"{self.store.url}/verifyReceipt", "POST", **{"receipt-data": receipt, "password": secret})

    def poll(self) -> dict:
        """Asks Apple about what is due now, as the ledger does by itself when polling is enabled."""
        return self.ledger.control("/control/poll", {})

    def due(self) -> list[dict]:
        return self.run("poll", "due", "--as-of", iso(self.now))

    def rules(self, **sections) -> str:
        """Writes a file of rules, and returns its path."""
        path = self.folder / "rules.yaml"
        path.write_text(json.dumps({"version": 1, "name": "of the flow", **sections}))
        return str(path)

    def run(self, *arguments: str):
        """Runs a command of the ledger, and returns its JSON."""
        return self.ledger.run(*arguments)

    def judge(self, receipt: str, *command: str) -> dict:
        """Shows a receipt to a command that needs no ledger, and returns its JSON, of a refusal too."""
        file = self.folder / "receipt.b64"
        file.write_text(receipt)
        root = self.folder / "store" / "receipt-root.der"
        options = [str(file), "--trust-root", str(root), "--format", "json"]
        return json.loads(subprocess.run([self.subledger, *command, *options], stdout=subprocess.PIPE).stdout)

    def quarantined(self) -> list[dict]:
        command = [self.subledger, "quarantine", "list", "--config", str(self.ledger.config), "--format", "json"]
        rows = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()
        return [json.loads(row) for row in rows]

    def reconfigure(self, **members):
        """Starts the ledger again with other members in its configuration."""
        configuration = json.loads(self.ledger.config.read_text())
        self.ledger.config.write_text(json.dumps({**configuration, **members}))
        self.ledger.stop()
        self.ledger.start()

    def events(self, kind: str | None = None) -> list[dict]:
        return [row for row in self.lines("/v1/events?limit=1000") if kind in (None, row["kind"])]

    def transitions(self, name: str) -> list[dict]:
        """The rows of the feed about a customer."""
        return [row for row in self.lines("/v1/transitions?limit=1000") if name in row["customers"]]

    def lines(self, path: str) -> list[dict]:
        """Asks the ledger for a page of a feed."""
        with urllib.request.urlopen(self.ledger.url + path) as answer:
            return [json.loads(line) for line in answer.read().splitlines()]


class Player:
    """Sets up the stage that a flow asks for, in the form that is being played."""

    def __init__(self, simulator: str, subledger: str, folder: pathlib.Path, form: str):
        self.simulator, self.subledger, self.folder, self.form = simulator, subledger, folder, form
        self.count = 0

    @contextmanager
    def stage(self, **options):
        self.count += 1
        stage = Stage(self.simulator, self.subledger, self.folder / f"stage-{self.count}", self.form, **options)
        try:
            yield stage
        finally:
            stage.stop()

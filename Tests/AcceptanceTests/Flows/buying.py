"""Buying: the payment queue, and whose purchases they are (sessions 704 and 705, "Processing a Transaction")."""

import http.client
import json
import time
import urllib.error
import urllib.parse
from datetime import timedelta

from stage import Device, Player, Stage, ask, flow, instant, iso


def ids(rows: list[dict]) -> set[str]:
    return {row["transactionId"] for row in rows}


def queue(device: Device) -> dict[str, str]:
    """Starts the app, and returns the state of each product in its queue."""
    return {item["productId"]: item["state"] for item in device.launch()}


def purchases_in_log(stage: Stage) -> list[dict]:
    """The events that postings of purchases append."""
    return stage.events("receiptVerified" if stage.form == "receipts" else "transactionVerified")


def products_in_log(stage: Stage) -> set[str]:
    return {row["about"]["productId"] for row in stage.events() if row["about"]}


@flow(1)
def finish_after_the_commit(player: Player):
    with player.stage() as stage:
        device = stage.devices[0]
        bought = device.buy("pro.monthly")["transactionId"]

        post_and_die(device, "anna")
        assert queue(device) == {"pro.monthly": "purchased"}
        # This app is killed before it finishes what the answer names.
        second = device.post("anna")
        assert ids(second["duplicates"]) == ids(second["finish"]) == {bought}, second

        assert queue(device) == {"pro.monthly": "purchased"}
        third = device.open("anna")
        assert ids(third["duplicates"]) == ids(third["finish"]) == {bought}, third
        assert queue(device) == {}

        assert stage.subscription("anna")["transactionId"] == bought
        assert stage.changes("anna") == ["started"]
        assert len(purchases_in_log(stage)) == 1


def post_and_die(device: Device, customer: str):
    """Posts the purchases as an app that is killed when the ledger has them, before it reads the answer."""
    stage = device.stage
    connection = http.client.HTTPConnection(urllib.parse.urlparse(stage.ledger.url).netloc)
    body = json.dumps({**device.posting(), "customerId": customer})
    connection.request("POST", "/v1/transactions", body, {"Content-Type": "application/json"})
    deadline = time.monotonic() + 30
    while not purchases_in_log(stage):
        assert time.monotonic() < deadline, "the ledger has no purchase"
        time.sleep(0.02)
    connection.close()


@flow(2)
def five_states(player: Player):
    with player.stage() as stage:
        device = stage.devices[0]
        device.buy("unlock")
        device.open("anna")
        stage.wait(days=1)
        fill_queue(device)
        found = {
            "news.monthly": "purchasing", "news.quarterly": "deferred", "pro.yearly": "failed", "season": "failed",
            "pro.monthly": "purchased", "unlock": "restored",
        }  # fmt: skip
        assert queue(device) == found

        answers = open_backwards(device, "anna")
        succeeded = {item["transactionId"] for item in device.launch() if item["transactionId"]}
        assert set().union(*(ids(answer["finish"]) for answer in answers)) == succeeded and len(succeeded) == 2
        for answer in answers:
            device.finish(answer)
        assert queue(device) == {"news.monthly": "purchasing", "news.quarterly": "deferred"}

        stage.wait(days=2)
        states = stage.states("anna")
        assert {name: states[name] for name in found} == {
            name: "active" if state in ("purchased", "restored") else "new" for name, state in found.items()
        }
        assert products_in_log(stage).isdisjoint({"news.monthly", "news.quarterly", "pro.yearly", "season"})


def fill_queue(device: Device):
    """Brings a transaction of each state into the queue, and two that failed: declined, and cancelled."""
    device.restore()
    device.buy("news.monthly", pending=True)
    device.buy("season", cancelled=True)
    device.buy("news.quarterly", askToBuy=True)
    device.act("fail-billing")
    device.buy("pro.yearly")
    device.act("fix-billing")
    device.buy("pro.monthly")


def open_backwards(device: Device, customer: str) -> list[dict]:
    """Posts the purchases of the queue from the newest to the oldest; a receipt has them all."""
    if device.stage.form == "receipts":
        return [device.post(customer)]
    signed = reversed(device.posting()["signedTransactions"])
    return [device.post(customer, signedTransactions=[transaction]) for transaction in signed]


@flow(3)
def ask_to_buy(player: Player):
    with player.stage() as stage:
        approved, declined, silent = stage.devices
        for device in stage.devices:
            assert device.buy("pro.monthly", askToBuy=True)["state"] == "deferred"
        stage.wait(hours=23)
        ask_again(approved)
        for name in ("anna", "ben", "carl"):
            assert set(stage.states(name).values()) == {"new"}

        transaction = approved.answer(True)
        assert transaction["state"] == "purchased"
        bought = transaction["transactionId"]
        assert ids(approved.open("anna")["finish"]) == {bought}
        assert stage.subscription("anna")["entitled"] and stage.states("anna")["pro.monthly"] == "active"

        assert declined.answer(False)["state"] == "failed"
        assert queue(declined) == {"pro.monthly": "failed"}

        stage.wait(hours=2)
        assert queue(silent) == {}
        assert ask(f"{silent.url}/answer", "POST", {"approved": True})[0] == 409
        stage.wait(days=2)
        assert queue(silent) == {}
        assert stage.states("anna")["pro.monthly"] == "active"
        for name in ("ben", "carl"):
            assert set(stage.states(name).values()) == {"new"}
        assert {row["about"]["originalTransactionId"] for row in stage.events() if row["about"]} <= {bought, None}


def ask_again(device: Device):
    """Asks the parent a second time within 24 hours, which is the same question."""
    first = device.launch()
    assert device.buy("pro.monthly", askToBuy=True)["payment"] == first[0]["payment"]
    assert len(device.launch()) == len(first) == 1


@flow(4)
def begun_outside_the_app(player: Player):
    with player.stage(notified=False) as stage:
        subscriber, newcomer = stage.relative(0), stage.relative(1)
        subscriber.buy("pro.monthly")
        subscriber.open("anna")
        first = stage.subscription("anna")
        assert newcomer.buy("unlock", begun="promoCode") is None
        assert newcomer.buy("season", begun="promotedPurchase") is None
        assert newcomer.buy("pro.monthly", offerId="SPRING", begun="promoCode") is None
        assert newcomer.buy("news.monthly", interrupted=True)["state"] == "failed"
        bought = ["news.monthly", "pro.monthly", "season", "unlock"]
        waiting = [item["productId"] for item in newcomer.launch() if item["state"] == "purchased"]
        assert sorted(waiting) == bought

        newcomer.open("ben")
        states = stage.states("ben")
        assert [name for name, state in states.items() if state == "active" and name in bought] == bought
        owned = stage.customer("ben")
        assert {row["id"] for row in owned["entitlements"]} == {"pro", "news", "season", "unlock"}
        if stage.form == "transactions":
            offers = {row["productId"]: row["offer"] for row in owned["subscriptions"]}
            assert offers["pro.monthly"]["type"] == "offerCode" and offers["pro.monthly"]["id"] == "SPRING", offers
        assert newcomer.launch() == []

        stage.wait_until(instant(first["expiresAt"]) + timedelta(minutes=1))
        (renewal,) = subscriber.launch()
        assert renewal["state"] == "purchased" and renewal["transactionId"] != first["transactionId"]
        subscriber.open("anna")
        renewed = stage.subscription("anna")
        assert renewed["transactionId"] == renewal["transactionId"] and renewed["entitled"]
        assert renewed["originalTransactionId"] == first["originalTransactionId"]
        assert renewed["expiresAt"] > first["expiresAt"]


@flow(5)
def consumable(player: Player):
    with player.stage() as stage:
        device = stage.devices[0]
        coins = device.buy("coins.100", quantity=3)["transactionId"]
        assert shown(device) == {coins}

        assert ids(device.open("anna")["finish"]) == {coins}
        assert shown(device) == set()
        (kept,) = stage.customer("anna")["purchases"]
        assert kept["transactionId"] == coins and kept["type"] == "Consumable" and kept["revokedAt"] is None
        assert kept["quantity"] == 3 and kept["productId"] == "coins.100"

        stage.wait(days=3)
        device.act("refund", transactionId=coins)
        refunded_at = iso(stage.now)
        stage.wait(hours=1)
        (refunded,) = stage.customer("anna")["purchases"]
        assert refunded == {**kept, "revokedAt": refunded_at}, refunded


def shown(device: Device) -> set[str]:
    """The transactions that the device shows: in its next receipt, or in its queue."""
    if device.stage.form == "transactions":
        return ids(device.launch())
    return {row["transaction_id"] for row in device.stage.judge(device.receipt(), "receipt", "inspect")["in_app"]}


@flow(6)
def before_the_account(player: Player):
    with player.stage() as stage:
        device = stage.relative(0)
        device.buy("pro.monthly")
        handle = device.open()["customer"]["handle"]
        before = stage.customer(handle)
        assert before["id"] is None and before["entitled"], before
        stage.wait(days=2)

        url = f"{stage.ledger.url}/v1/customers/anna/identify"
        status, account = ask(url, "POST", {"handle": handle})
        assert status == 200 and account["id"] == "anna" and account["entitled"], account
        owned = stage.customer("anna")
        assert keys(owned) == keys(before) and owned["entitled"]
        assert stage.customer(handle)["subscriptions"] == owned["subscriptions"]

        # The app starts on another device of the Apple account, and then its customer signs in there.
        stage.wait(days=2)
        stranger = device.post(**device.current())
        assert ids(stranger["finish"]) == set(keys(before)), stranger
        second = device.post("anna", **device.current())
        assert second["refused"] == [] and second["customer"]["id"] == "anna", second
        assert keys(second["customer"]) == keys(before) and second["customer"]["entitled"]
        assert keys(stage.customer("anna")) == keys(before) and stage.customer("anna")["conflicts"] == []

        # What the ledger answered before the account existed, it answers still.
        query = {"knownAt": before["knownAt"], "asOf": before["asOf"]}
        assert stage.customer(handle, **query) == before
        assert stage.customer("anna", **query)["subscriptions"] == []


def keys(customer: dict) -> list[str]:
    return [row["originalTransactionId"] for row in customer["subscriptions"]]


@flow(7)
def somebody_elses(player: Player):
    with player.stage() as stage:
        device = stage.relative(0)
        bought = device.buy("pro.monthly")["transactionId"]
        device.post("anna")
        refused = device.open("ben")
        (row,) = refused["refused"]
        assert row["code"] == "link_refused" and "subledger customer transfer" in row["advice"], refused
        assert ids(refused["finish"]) == {bought} and not refused["customer"]["entitled"]
        assert stage.customer("anna")["entitled"] and not stage.customer("ben")["entitled"]
        for name, other in [("anna", "ben"), ("ben", "anna")]:
            (conflict,) = stage.customer(name)["conflicts"]
            assert conflict["originalTransactionId"] == bought and conflict["with"] == other, conflict
            assert "subledger customer transfer" in conflict["remedy"]
        assert len(stage.events("linkRefused")) == 1

        stage.run("customer", "transfer", "ben", "--subscription", bought)
        assert keys(stage.customer("ben")) == [bought] and stage.customer("ben")["entitled"]
        assert keys(stage.customer("anna")) == [] and not stage.customer("anna")["entitled"]
        for name in ("anna", "ben"):
            assert stage.customer(name)["conflicts"] == []

"""Receipts: which are refused, which are verified long after their signing, and those of the sandbox (session 704)."""

import base64
import json
import re
from datetime import datetime, timedelta, timezone

from stage import Device, Player, Stage, ask, fixture, flow, instant

# Recorded answers of Apple, and their receipts.
ANSWERS = {
    "receipts-pkcs7/griddiary-receipt.b64": "verify-receipt-pairs/griddiary-receipt-1.json",
    "receipts-pkcs7/griddiary-auto_renewable_receipt.b64": "verify-receipt-pairs/griddiary-auto_renewable_receipt-1.json",
    "receipts-pkcs7/ios-revenuecat-sampleapp-2020.b64": "verify-receipt/revenuecat-verifyReceiptSample1.json",
}


def post(stage: Stage, receipt: str, **members) -> tuple[int, dict]:
    return ask(f"{stage.ledger.url}/v1/transactions", "POST", {"receipt": receipt, **members})


def refusal(stage: Stage, receipt: str, **members) -> dict:
    """Posts a receipt that is refused, and returns the reason."""
    status, answer = post(stage, receipt, **members)
    assert status == 403 and answer["finish"] == [], answer
    (row,) = answer["refused"]
    return row


def changed(receipt: str) -> str:
    """Returns the receipt with one byte changed, in the name of a product."""
    der = bytearray(base64.b64decode(receipt))
    der[der.index(b"pro.monthly")] ^= 1
    return base64.b64encode(der).decode()


@flow(8)
def right_app_right_device(player: Player):
    with player.stage() as stage:
        device = stage.devices[0]
        device.buy("pro.monthly")
        trust(stage, "certs/testca-receipt-root.der")
        good = device.receipt()
        untyped = base64.b64encode(fixture("receipts-pkcs7/testca-receipt-no-type.der").read_bytes()).decode()
        refused = {
            "bundle_mismatch": {"receipt": fixture("receipts-pkcs7/ios-mbaasy-2015-unified.b64").read_text()},
            "receipt_type_missing": {"receipt": untyped},
            "device_hash_mismatch": {"receipt": good, "deviceGUID": "00112233-4455-6677-8899-aabbccddeeff"},
            "signature_invalid": {"receipt": changed(good)},
        }
        for code, posting in refused.items():
            for _ in range(2):
                assert refusal(stage, customerId="anna", **posting)["code"] == code
        assert sorted(row["code"] for row in stage.quarantined()) == sorted(refused)
        assert set(stage.states("anna").values()) == {"new"}

        status, answer = post(stage, good, customerId="anna", deviceGUID=device_guid(device))
        assert status == 200 and answer["refused"] == [] and answer["customer"]["entitled"], answer
        other = stage.judge(good, "verify", "--app-version", "41")
        assert other["ok"] and "42" in " ".join(other["warnings"]), other
        same = stage.judge(good, "verify", "--app-version", "42")
        assert same["ok"] and not same.get("warnings"), same


def trust(stage: Stage, root: str):
    """Adds a root certificate to those that the ledger trusts."""
    roots = json.loads(stage.ledger.config.read_text())["trust"]["roots"]
    stage.reconfigure(trust={"roots": [*roots, str(fixture(root))]})


def device_guid(device: Device) -> str:
    status, answer = ask(f"{device.url}/receipt")
    assert status == 200
    return answer["deviceGUID"]


@flow(9)
def refresh_once(player: Player):
    with player.stage() as stage:
        device = stage.devices[0]
        device.buy("pro.monthly")
        assert refusal(stage, changed(device.receipt()), customerId="anna")["advice"] == "refreshReceiptOnce"
        stage.wait(minutes=1)
        assert refusal(stage, changed(device.receipt()), customerId="anna")["advice"] == "none"
        # Another customer has not refreshed yet.
        assert refusal(stage, changed(device.receipt()), customerId="ben")["advice"] == "refreshReceiptOnce"
        stage.wait(minutes=61)
        assert refusal(stage, changed(device.receipt()), customerId="anna")["advice"] == "refreshReceiptOnce"
        assert post(stage, device.receipt(), customerId="anna")[0] == 200


@flow(10)
def old_certificates(player: Player):
    with player.stage() as stage:
        receipts = apple_receipts()
        years = {entry["created"].year for entry in receipts}
        assert min(years) == 2014 and max(years) == 2025, years
        accept(stage, {entry["bundleId"] for entry in receipts})
        stage.wait_until(datetime(2025, 6, 1, tzinfo=timezone.utc))
        for entry in receipts:
            status, answer = post(stage, fixture(entry["file"]).read_text(), customerId="anna")
            assert status == 200 and answer["refused"] == [], (entry, answer["refused"])
            shown = stage.judge(fixture(entry["file"]).read_text(), "receipt", "inspect")
            assert shown["ok"] and len(shown["in_app"]) == entry["purchases"], (entry, shown)
            assert instant(shown["receipt_creation_date"]) == entry["created"]
        verified = {instant(event["verification"]["at"]) for event in stage.events("receiptVerified")}
        assert verified == {entry["created"] for entry in receipts}, verified
        assert not any(event["verification"]["configuredRoot"] for event in stage.events("receiptVerified"))
        for receipt, answer in ANSWERS.items():
            shown = stage.judge(fixture(receipt).read_text(), "receipt", "inspect")
            compare(shown, json.loads(fixture(answer).read_text())["receipt"])

    # The certificates of the simulated store end with the year 2043.
    with player.stage(start=datetime(2043, 12, 31, tzinfo=timezone.utc)) as stage:
        device = stage.devices[0]
        device.buy("pro.monthly")
        assert post(stage, device.receipt())[0] == 200
        stage.wait(days=2)
        assert refusal(stage, device.receipt())["code"] == "chain_expired"


def apple_receipts() -> list[dict]:
    """The recorded receipts that Apple signed. All their chains have expired."""
    found = []
    for entry in json.loads(fixture("MANIFEST.json").read_text())["entries"]:
        if entry["kind"] == "app-receipt-pkcs7" and entry["signer"].startswith("REAL Apple PKI"):
            measured = entry["measured"]
            assert not measured["apple_root_chain_now"], entry["file"]
            found.append(
                {
                    "file": entry["file"],
                    "bundleId": measured["payload"]["bundle_id"],
                    "created": instant(measured["payload"]["receipt_creation_date"]),
                    "purchases": measured["in_app_count"],
                }
            )
    return found


def accept(stage: Stage, bundle_ids: set[str]):
    """Adds apps to those of the ledger."""
    apps = json.loads(stage.ledger.config.read_text())["apps"]
    others = [{"bundleId": bundle_id, "environments": ["Sandbox"]} for bundle_id in sorted(bundle_ids)]
    stage.reconfigure(apps=apps + others)


def compare(shown: dict, answer: dict):
    """Compares every field that Apple states about a receipt and its purchases."""
    compare_fields(shown, answer)
    purchases = {row["transaction_id"]: row for row in shown["in_app"]}
    assert purchases.keys() == {row["transaction_id"] for row in answer["in_app"]}
    for row in answer["in_app"]:
        compare_fields(purchases[row["transaction_id"]], row)


def compare_fields(shown: dict, stated: dict):
    """Apple states dates in three forms, `app_item_id` under a second name, and the date of the request."""
    other_forms = re.compile(r".*_(ms|pst)|request_date|adam_id|in_app")
    for name, value in stated.items():
        if not other_forms.fullmatch(name):
            assert as_shown(value) == str(shown[name]), (name, value, shown)


def as_shown(value: str | int) -> str:
    """Returns a value of Apple's JSON in the form of the receipt."""
    text = {"true": "1", "false": "0"}.get(str(value), str(value))
    return re.sub(r"^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) Etc/GMT$", r"\1T\2Z", text)


@flow(11)
def sandbox(player: Player):
    with player.stage(environment="Sandbox") as stage:
        device = stage.devices[0]
        device.buy("pro.monthly")
        device.open("anna")
        month = timedelta(minutes=5)
        bought = stage.subscription("anna", environment="Sandbox")
        assert bought["entitled"] and bought["environment"] == "Sandbox", bought
        assert instant(bought["expiresAt"]) - instant(bought["purchasedAt"]) == month
        assert set(stage.states("anna").values()) == {"new"} and not stage.customer("anna")["entitled"]

        # Twelve renewals follow the purchase.
        stage.wait_until(instant(bought["expiresAt"]) + 12 * month - timedelta(minutes=1))
        device.open("anna")
        last = stage.subscription("anna", environment="Sandbox")
        assert instant(last["expiresAt"]) == instant(bought["purchasedAt"]) + 13 * month and last["entitled"]
        stage.wait(minutes=2)
        device.open("anna")
        ended = stage.subscription("anna", environment="Sandbox")
        assert ended["status"] == "expired" and not ended["entitled"] and ended["expiresAt"] == last["expiresAt"]
        assert changes_in_sandbox(stage, "anna") == ["started", *["renewed"] * 12, "expired"]
        assert set(stage.states("anna").values()) == {"new"} and not stage.customer("anna")["entitled"]
    with player.stage(environment="Sandbox", notified=False) as stage:
        find_in_sandbox(stage)


def find_in_sandbox(stage: Stage):
    """A receipt of iOS 6 that does not say that it is of the sandbox: Apple is asked in production first."""
    device = stage.devices[0]
    device.buy("pro.monthly")
    posting = {"customerId": "anna", "receipt": device.transaction_receipt(environment="none")}
    status, answer = ask(f"{stage.ledger.url}/v1/transactions", "POST", posting)
    (refused,) = answer["refused"]
    assert (status, refused["code"], refused["advice"]) == (403, "needs_verify_receipt", "postAgain"), answer
    assert [(row["why"], row["environment"]) for row in stage.due()] == [("token", "Production")]
    assert stage.poll()["polled"] == 1
    assert {row["environment"] for row in stage.due()} <= {"Sandbox"}
    answer = device.post("anna", receipt=posting["receipt"])
    assert answer["refused"] == [] and len(answer["finish"]) == 1, answer
    row = stage.subscription("anna", environment="Sandbox")
    assert row["entitled"] and row["environment"] == "Sandbox", row
    assert set(stage.states("anna").values()) == {"new"} and not stage.customer("anna")["entitled"]


def changes_in_sandbox(stage: Stage, name: str) -> list[str]:
    """The purchases and the end of the only subscription of a customer in the sandbox."""
    (row,) = stage.get(f"/v1/customers/{name}/history", environment="Sandbox")["subscriptions"]
    words = [change for transition in row["transitions"] for change in transition["change"]]
    return [word for word in words if word in ("started", "renewed", "resubscribed", "expired")]

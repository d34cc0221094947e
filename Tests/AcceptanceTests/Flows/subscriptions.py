"""The server knows: renewals, failures, upgrades and refunds that the app did not bring (session 705)."""

import json
from datetime import datetime, timedelta

from stage import DAY, MOMENT, NEWS, PRO, START, Device, Player, Stage, apart_from_positions, flow, instant, iso

# The Billing Grace Period of the simulated app.
GRACE = 16 * DAY
BILLING_PAGE = "https://apps.apple.com/account/billing"
# Within this time, Apple signs and sends what happened.
SIGNING = timedelta(seconds=10)
# Enough for the script to contain every change.
CUSTOMERS = 60
# The price of pro.monthly.
PRICES = {"USD": 9_990, "EUR": 9_990, "AUD": 19_980, "JPY": 999_000}


def subscribe(stage: Stage, device: Device, name: str, product: str = "pro.monthly", **options) -> dict:
    """Buys a subscription whose app posts it. The ledger asks Apple what a posting does not say: what will renew."""
    device.buy(product, **options)
    device.open(name)
    stage.wait(hours=1)
    stage.poll()
    return stage.subscriptions(name)[product]


def reasons(stage: Stage) -> list[str]:
    """Why the ledger would ask Apple now."""
    return [row["why"] for row in stage.due() if instant(row["dueAt"]) <= stage.now]


@flow(12)
def renewal_through_the_app(player: Player):
    with player.stage(notified=False) as stage:
        device = stage.devices[0]
        device.buy("pro.monthly")
        device.open("anna")
        bought = stage.subscription("anna")
        assert bought["expiresAt"] == "2025-02-01T00:00:00.000Z", bought

        stage.wait_until(instant("2025-02-01T02:00:00Z"))
        assert not stage.subscription("anna")["entitled"]
        device.buy("news.quarterly")
        first_renewal = device.posting()
        stage.wait_until(instant("2025-03-01T02:00:00Z"))
        renewals = [item for item in device.launch() if item["productId"] == "pro.monthly"]
        assert len(renewals) == 2

        answer = device.post("anna", **newest_first(device.posting()))
        assert {item["transactionId"] for item in device.launch()} <= {row["transactionId"] for row in answer["finish"]}
        check_renewed(stage, bought)
        # The place in a list, and the order of arrival, decide nothing.
        device.post("anna")
        check_renewed(stage, bought)
        device.post("anna", **first_renewal)
        check_renewed(stage, bought)
        assert stage.customer("anna")["entitled"]
        device.finish(answer)
        assert device.launch() == []


def newest_first(posting: dict) -> dict:
    """Returns a posting with signed transactions in the order of the rows in a receipt."""
    return {name: value[::-1] if isinstance(value, list) else value for name, value in posting.items()}


def check_renewed(stage: Stage, bought: dict):
    """Each subscription has its own end, whatever else the posting contained."""
    rows = stage.subscriptions("anna")
    assert sorted(rows) == ["news.quarterly", "pro.monthly"], rows
    pro, news = rows["pro.monthly"], rows["news.quarterly"]
    assert pro["originalTransactionId"] == bought["originalTransactionId"], pro
    assert (pro["purchasedAt"], pro["expiresAt"]) == ("2025-03-01T00:00:00.000Z", "2025-04-01T00:00:00.000Z"), pro
    assert (news["purchasedAt"], news["expiresAt"]) == ("2025-02-01T02:00:00.000Z", "2025-05-01T02:00:00.000Z"), news


@flow(13)
def renewal_nobody_brought(player: Player):
    with player.stage(notified=False) as stage:
        find_renewal_by_polling(stage)


@flow(14)
def device_comes_later(player: Player):
    with player.stage(notified=False) as stage:
        device = find_renewal_by_polling(stage)
        stage.wait(hours=1)
        now = iso(stage.now)
        before = [stage.customer("anna", asOf=now), stage.history("anna")]

        posting = device.posting()
        first, again = device.post("anna", **posting), device.post("anna", **posting)
        (renewal,) = device.launch()
        for answer in (first, again):
            assert answer["refused"] == [], answer
            assert renewal["transactionId"] in [row["transactionId"] for row in answer["finish"]], answer
        # Apple signs each copy anew: the one of the device says nothing new, and is a new event all the same.
        assert first["duplicates"] == [], first
        assert again["duplicates"] == again["finish"], again
        device.finish(again)
        assert device.launch() == []
        after = [stage.customer("anna", asOf=now), stage.history("anna")]
        assert apart_from_positions(after) == apart_from_positions(before)

        if stage.form == "receipts":
            assert token_of_next_poll(stage) == digest_of_newest_receipt(stage)


def find_renewal_by_polling(stage: Stage) -> Device:
    """Lets a subscription renew whose app stays closed. Asking Apple finds the renewal before anybody asks for it."""
    device = stage.devices[0]
    bought = subscribe(stage, device, "anna")
    assert bought["entitled"] and bought["willRenew"], bought

    stage.wait_until(instant(bought["expiresAt"]) + timedelta(hours=2))
    assert not stage.customer("anna")["entitled"]
    assert reasons(stage) == ["periodEnded"]
    assert stage.poll()["changed"] == 1
    renewed = stage.subscription("anna")
    assert renewed["entitled"] and renewed["status"] == "active", renewed
    assert renewed["originalTransactionId"] == bought["originalTransactionId"]
    assert (renewed["purchasedAt"], renewed["expiresAt"]) == (bought["expiresAt"], "2025-03-01T00:00:00.000Z"), renewed
    assert stage.changes("anna").count("renewed") == 1
    first, second = [event["body"] for event in stage.events("statusPolled")]
    if stage.form == "receipts":
        assert first["receipt"] == digest_of_newest_receipt(stage), first
        assert second["endpoint"] == "verifyReceipt" and second["excludesOldTransactions"], second
    else:
        assert second["endpoint"] == "subscriptionStatuses", second
    return device


def digest_of_newest_receipt(stage: Stage) -> str:
    """Returns the digest of the signed content of the newest receipt that a device sent."""
    position = stage.events("receiptVerified")[-1]["position"]
    return stage.run("log", "show", f"{position}")["facts"][0]["statedBy"]


def token_of_next_poll(stage: Stage) -> str:
    """Returns the digest of the receipt that is sent to verifyReceipt when the period ends."""
    stage.wait_until(instant(stage.subscription("anna")["expiresAt"]) + timedelta(hours=2))
    assert stage.poll()["polled"] == 1
    return stage.events("statusPolled")[-1]["body"]["receipt"]


@flow(15)
def billing_failure(player: Player):
    with player.stage(fault="lose=1") as stage:
        trial, paid = fail_to_renew(stage)
        stage.wait_until(instant(trial["expiresAt"]) + timedelta(hours=1))
        assert reasons(stage) == ["periodEnded"]
        stage.poll()
        check_billing_failure(stage, "anna", trial, "billingRetry", None)

        stage.wait_until(instant(paid["expiresAt"]) + timedelta(hours=1))
        assert "periodEnded" in reasons(stage)
        stage.poll()
        check_billing_failure(stage, "bert", paid, "gracePeriod", instant(paid["expiresAt"]) + GRACE)
    with player.stage(fault="lose=1", grace=False) as stage:
        paid = subscribe(stage, stage.devices[0], "anna")
        stage.devices[0].act("fail-billing")
        stage.wait_until(instant(paid["expiresAt"]) + timedelta(hours=1))
        assert reasons(stage) == ["periodEnded"]
        stage.poll()
        check_billing_failure(stage, "anna", paid, "billingRetry", None)


def fail_to_renew(stage: Stage) -> tuple[dict, dict]:
    """Returns what two customers bought whose cards will be declined. Apple grants grace after a paid period only."""
    trial = subscribe(stage, stage.devices[0], "anna", offerId="introductory")
    paid = subscribe(stage, stage.devices[1], "bert")
    for device in stage.devices[:2]:
        device.act("fail-billing")
    return trial, paid


def check_billing_failure(stage: Stage, name: str, bought: dict, status: str, grace_end: datetime | None):
    customer, row = stage.customer(name), stage.subscription(name)
    assert (row["status"], row["billingIssueSince"]) == (status, bought["expiresAt"]), row
    assert row["gracePeriodExpiresAt"] == (grace_end and iso(grace_end)), row
    assert customer["entitled"] == row["entitled"] == (grace_end is not None), customer
    assert customer["nextStep"] == row["nextStep"] == "fixBilling", customer
    step = stage.next_step(name)
    assert (step["step"], step["url"]) == ("fixBilling", BILLING_PAGE), step
    assert instant(step["until"]) == (grace_end or instant(bought["expiresAt"]) + 60 * DAY), step
    in_retry = stage.churn("inRetry")[row["originalTransactionId"]]
    assert (in_retry["retryDay"], in_retry["since"]) == (1, bought["expiresAt"]), in_retry


@flow(16)
def recovery(player: Player):
    with player.stage() as stage:
        trial, paid = fail_to_renew(stage)
        stage.wait_until(instant(trial["expiresAt"]) + 10 * DAY)
        stage.poll()
        assert not stage.customer("anna")["entitled"]
        fixed = fix_billing(stage, 0, "anna")
        assert fixed == "2025-01-18T00:00:00.000Z"
        row = stage.subscription("anna")
        assert (row["purchasedAt"], row["expiresAt"]) == (fixed, "2025-02-18T00:00:00.000Z"), row

        stage.wait_until(instant(paid["expiresAt"]) + 5 * DAY)
        stage.poll()
        assert stage.subscription("bert")["status"] == "gracePeriod"
        fixed = fix_billing(stage, 1, "bert")
        row = stage.subscription("bert")
        assert (row["purchasedAt"], row["expiresAt"]) == (fixed, "2025-03-01T01:00:00.000Z"), row
    with player.stage(grace=False) as stage:
        paid = subscribe(stage, stage.devices[0], "anna")
        stage.devices[0].act("fail-billing")
        stage.wait_until(instant(paid["expiresAt"]) + 5 * DAY)
        stage.poll()
        assert stage.subscription("anna")["status"] == "billingRetry"
        assert not stage.customer("anna")["entitled"]
        fixed = fix_billing(stage, 0, "anna")
        row = stage.subscription("anna")
        assert (row["purchasedAt"], row["expiresAt"]) == (fixed, "2025-03-06T00:00:00.000Z"), row


def fix_billing(stage: Stage, number: int, name: str) -> str:
    """Fixes the billing of a customer, and returns when. The customer has access as soon as the notification is stored."""
    fixed = iso(stage.now)
    stage.devices[number].act("fix-billing")
    stage.wait_until(stage.now + SIGNING)
    assert stage.customer(name)["entitled"] and stage.subscription(name)["status"] == "active", stage.customer(name)
    (row,) = [row for row in stage.transitions(name) if "recovered" in row["change"]]
    assert row["effectiveAt"] == fixed and row["mode"] == "live", row
    recovered = stage.churn("recovered")[row["after"]["originalTransactionId"]]
    assert (recovered["recoveredAt"], recovered["boughtAgain"]) == (fixed, False), recovered
    return fixed


@flow(17)
def own_grace(player: Player):
    # Apple grants none after a trial, and none at all where it is off.
    with player.stage() as stage:
        grant_own_grace(stage, offerId="introductory")
    with player.stage(grace=False) as stage:
        grant_own_grace(stage)


def grant_own_grace(stage: Stage, **options):
    subscribe(stage, stage.devices[2], "carl")
    anna = subscribe(stage, stage.devices[0], "anna", **options)
    bert = subscribe(stage, stage.devices[1], "bert", **options)
    for device in stage.devices[:2]:
        device.act("fail-billing")
    (anna_end, bert_end) = instant(anna["expiresAt"]), instant(bert["expiresAt"])
    stage.wait_until(bert_end + timedelta(hours=1))
    stage.poll()
    check_access(stage, "anna", stage.now, "none", "billingRetry")
    check_access(stage, "bert", stage.now, "none", "billingRetry")

    rules = stage.rules(access={"ownGraceDays": 3, "limitedAccessDays": 4})
    difference = stage.run("project", "diff", "--rules", rules, "--as-of", iso(stage.now))
    moved = [row for row in difference["rows"] if (row["table"], row["field"]) == ("access", "entitled")]
    gained = {row["originalTransactionId"] for row in moved if not row["before"] and row["after"]}
    assert gained == {row["originalTransactionId"] for row in (anna, bert)} and len(moved) == 2, moved
    assert {row["rule"] for row in moved} == {"access.ownGraceDays"}, moved
    check_access(stage, "anna", stage.now, "none", "billingRetry")
    stage.run("project", "activate", "--rules", rules, "--by", "support", "--yes")
    check_access(stage, "anna", stage.now, "full", "ownGrace")

    stage.wait_until(anna_end + 5 * DAY)
    check_own_grace(stage, "anna", anna_end)
    fix_billing(stage, 0, "anna")
    stage.wait_until(bert_end + 7 * DAY)
    check_own_grace(stage, "bert", bert_end)
    check_access(stage, "bert", stage.now - MOMENT, "limited", "limitedAccess")
    check_access(stage, "bert", stage.now, "none", "billingRetry")


def check_own_grace(stage: Stage, name: str, end: datetime):
    check_access(stage, name, end + 3 * DAY - MOMENT, "full", "ownGrace")
    check_access(stage, name, end + 3 * DAY, "limited", "limitedAccess")


def check_access(stage: Stage, name: str, at: datetime, access: str, reason: str):
    row = stage.subscription(name, asOf=iso(at))
    assert (row["status"], row["access"], row["reason"]) == ("billingRetry", access, reason), row
    assert stage.customer(name, asOf=iso(at))["entitled"] == row["entitled"] == (access != "none"), row


@flow(18)
def will_it_churn(player: Player):
    with player.stage(fault="lose=1") as stage:
        device = stage.devices[0]
        bought = subscribe(stage, device, "anna")
        stage.wait(days=10)
        switched_off = stage.now
        device.act("cancel")
        stage.wait_until(instant(bought["expiresAt"]) - timedelta(hours=23))
        assert reasons(stage) == ["beforeEnd"]
        stage.poll()

        row = stage.subscription("anna")
        assert row["entitled"] and row["willRenew"] is False and row["pendingProductId"] is None, row
        about_to_churn = stage.churn("aboutToChurn")[row["originalTransactionId"]]
        assert about_to_churn["since"] == row["autoRenewOffSince"], about_to_churn
        assert switched_off < instant(row["autoRenewOffSince"]) <= stage.now
        assert stage.customer("anna")["nextStep"] == "offerDowngrade"
        step = stage.next_step("anna")
        assert step["productIds"] == ["pro.basic.monthly", "pro.basic.weekly"], step
        assert step["until"] == bought["expiresAt"], step

        device.act("resubscribe")
        device.buy("pro.basic.monthly")
        device.open("anna")
        stage.run("poll", "subscription", row["originalTransactionId"])
        row = stage.subscription("anna")
        assert row["willRenew"] and row["pendingProductId"] == "pro.basic.monthly", row
        assert row["productId"] == "pro.monthly" and row["autoRenewOffSince"] is None, row
        assert stage.churn("aboutToChurn") == {} and stage.customer("anna")["nextSteps"] == []

        stage.wait_until(instant(bought["expiresAt"]) + timedelta(hours=2))
        stage.poll()
        row = stage.subscription("anna")
        assert (row["productId"], row["purchasedAt"]) == ("pro.basic.monthly", bought["expiresAt"]), row
        assert row["entitled"] and row["pendingProductId"] is None, row
        (change,) = [change for change in stage.history("anna") if "planChanged" in change["change"]]
        assert change["at"] == bought["expiresAt"], change
        assert stage.churn("churned") == {}


@flow(19)
def upgrade(player: Player):
    with player.stage(customers=6) as stage:
        shapes = {upgrade_after_ten_days(stage, device, f"customer-{device.number}") for device in stage.devices}
        if stage.form == "receipts":
            # Apple shows a cancellation date for what was replaced, to some customers.
            assert shapes == {True, False}, shapes


def upgrade_after_ten_days(stage: Stage, device: Device, name: str) -> bool:
    """Returns whether Apple shows a cancellation date for the purchase that the upgrade replaces."""
    old = subscribe(stage, device, name)
    stage.wait_until(instant(old["purchasedAt"]) + 10 * DAY)
    upgraded = iso(stage.now)
    device.buy("pro.max.monthly")
    device.open(name)
    stage.wait_until(stage.now + SIGNING)
    stage.poll()

    row = stage.subscription(name)
    assert row["originalTransactionId"] == old["originalTransactionId"], row
    assert (row["productId"], row["purchasedAt"]) == ("pro.max.monthly", upgraded), row
    assert row["status"] == "active" and row["entitled"], row
    before = stage.subscription(name, asOf=iso(instant(upgraded) - MOMENT))
    assert before["productId"] == "pro.monthly" and before["entitled"], before
    states = {row["productId"]: row["state"] for row in stage.customer(name)["products"]}
    assert (states["pro.max.monthly"], states["pro.monthly"]) == ("active", "inactive"), states
    (change,) = [change for change in stage.history(name) if "planChanged" in change["change"]]
    assert change["at"] == upgraded and change["to"] == "active", change
    assert not {"refunded", "revoked", "expired"} & set(stage.changes(name)), stage.changes(name)
    key = row["originalTransactionId"]
    assert key not in stage.churn("churned") and key not in stage.churn("winBack")
    check_credit(stage, old, upgraded)
    return shows_cancellation(stage, device)


def check_credit(stage: Stage, old: dict, upgraded: str):
    """Revenue books the unused days of the old purchase back, and no refund. Receipts state no prices."""
    rows = stage.get("/v1/revenue", charges="true")["rows"]
    movements = [row for row in rows if row["originalTransactionId"] == old["originalTransactionId"]]
    assert [row["kind"] for row in movements if row["kind"] != "sale"] == ["upgradeCredit"], movements
    (credit,) = [row for row in movements if row["kind"] == "upgradeCredit"]
    assert (credit["transactionId"], credit["at"], credit["inferred"]) == (old["transactionId"], upgraded, True), credit
    unused = instant(old["expiresAt"]) - instant(upgraded)
    price = PRICES[old["currency"]] if stage.form == "transactions" else None
    days = unused / (instant(old["expiresAt"]) - instant(old["purchasedAt"]))
    assert credit["amount"] == (price and -round(price * days)), credit


def shows_cancellation(stage: Stage, device: Device) -> bool:
    if stage.form == "transactions":
        return False
    answer = stage.verify_receipt(device.receipt())
    return any("cancellation_date_ms" in row for row in answer["latest_receipt_info"])


@flow(20)
def refund(player: Player):
    with player.stage() as stage:
        posting, refunded = refund_after_ten_days(stage)
        stage.wait_until(stage.now + SIGNING)
        check_locked(stage, posting, refunded)
        refund_old_month(stage)
    with player.stage(fault="lose=1") as stage:
        posting, refunded = refund_after_ten_days(stage)
        stage.wait_until(instant("2025-01-31T01:00:00Z"))
        assert stage.customer("anna")["entitled"]
        assert reasons(stage) == ["beforeEnd"]
        stage.poll()
        check_locked(stage, posting, refunded)


def refund_after_ten_days(stage: Stage) -> tuple[dict, str]:
    """Returns what the app posted after the purchase, and when Apple refunded it."""
    device = stage.devices[0]
    device.buy("pro.monthly")
    posting = device.posting()
    device.open("anna")
    stage.wait(hours=1)
    stage.poll()
    stage.wait_until(START + 10 * DAY)
    device.act("refund")
    return posting, iso(stage.now)


def check_locked(stage: Stage, posting: dict, refunded: str):
    check_refunded(stage, refunded)
    # Neither does a device open it again that still has the purchase of then.
    assert not stage.devices[0].post("anna", **posting)["customer"]["entitled"]
    check_refunded(stage, refunded)


def check_refunded(stage: Stage, refunded: str):
    customer, row = stage.customer("anna"), stage.subscription("anna")
    assert not customer["entitled"] and customer["entitlements"] == [], customer
    assert {row["state"] for row in customer["products"] if row["productId"] == "pro.monthly"} == {"inactive"}
    assert (row["status"], row["access"], row["reason"], row["revokedAt"]) == ("revoked", "none", "refunded", refunded)
    by_id = stage.get(f"/v1/subscriptions/{row['originalTransactionId']}")["subscriptions"]
    assert apart_from_positions(by_id) == apart_from_positions([row])
    assert not stage.subscription("anna", asOf=refunded)["entitled"]
    assert stage.subscription("anna", asOf=iso(instant(refunded) - MOMENT))["entitled"]
    assert stage.changes("anna").count("refunded") == 1
    churned = stage.churn("churned")[row["originalTransactionId"]]
    assert (churned["class"], churned["churnedAt"]) == ("voluntary", refunded), churned


def refund_old_month(stage: Stage):
    device = stage.devices[1]
    bought = subscribe(stage, device, "bert")
    stage.wait_until(instant(bought["expiresAt"]) + 3 * DAY)
    stage.poll()
    running = stage.subscription("bert")
    device.act("refund", transactionId=bought["transactionId"])
    stage.wait_until(stage.now + SIGNING)
    stage.poll()
    assert "refunded" in stage.changes("bert")
    row = stage.subscription("bert")
    assert row["entitled"] and row["status"] == "active", row
    assert (row["transactionId"], row["expiresAt"]) == (running["transactionId"], running["expiresAt"]), row
    assert row["originalTransactionId"] not in stage.churn("churned")


@flow(21)
def why_they_left(player: Player):
    with player.stage() as stage:
        leave_and_return(stage)
    with player.stage(notified=False) as stage:
        leave_unheard(stage)
    # Intents 3 and 4.
    leave_by_script(player, "priceIncreaseNotAccepted", "priceNotAccepted", "voluntary/priceIncrease", "resubscribe")
    leave_by_script(player, "productUnavailable", "productUnavailable", "involuntary/productUnavailable", "none")


def leave_and_return(stage: Stage):
    """Anna cancels, and so does Carl. Bert's card is declined until Apple gives up."""
    anna, bert, carl = [subscribe(stage, device, name) for device, name in zip(stage.devices, ("anna", "bert", "carl"))]
    for device, act in zip(stage.devices, ("cancel", "fail-billing", "cancel")):
        device.act(act)
    stage.wait_until(instant(anna["expiresAt"]) + 2 * DAY)
    stage.poll()
    check_left(stage, "anna", anna, "cancelled", "voluntary", anna["expiresAt"])
    winning_back = stage.churn("winBack")[anna["originalTransactionId"]]
    assert (winning_back["paidDays"], winning_back["accrualLostAt"]) == (31, "2025-04-02T00:00:00.000Z"), winning_back
    # Only the Server API and notifications of version 2 tell which offers Apple would make.
    offers = ["comeback"] if stage.form == "transactions" else []
    assert winning_back["offerIds"] == stage.next_step("anna")["offerIds"] == offers, winning_back
    assert stage.next_step("anna")["step"] == ("offerWinBack" if offers else "resubscribe")
    state_other_reason(stage, stage.devices[2])
    check_left(stage, "carl", carl, "other", "unknown", carl["expiresAt"])

    stage.wait_until(instant(anna["expiresAt"]) + 50 * DAY)
    assert paid_days_before_return(stage, 0, "anna") == 31
    left = stage.churn("churned")[anna["originalTransactionId"]]
    assert (left["churnedAt"], left["reactivatedAt"]) == (anna["expiresAt"], iso(stage.now)), left
    stage.wait_until(instant(carl["expiresAt"]) + 60 * DAY + timedelta(hours=1))
    assert paid_days_before_return(stage, 2, "carl") == 0
    give_up(stage, bert)


def give_up(stage: Stage, bought: dict):
    """Apple has retried for 60 days."""
    gone = instant(bought["expiresAt"]) + 60 * DAY
    last_day = stage.churn("inRetry", asOf=iso(gone - MOMENT))[bought["originalTransactionId"]]
    assert last_day["retryDay"] == 60, last_day
    stage.wait_until(gone + timedelta(hours=2))
    stage.poll()
    check_left(stage, "bert", bought, "billingFailed", "involuntary", iso(gone))
    assert stage.customer("bert")["nextStep"] == "resubscribe"


def check_left(stage: Stage, name: str, bought: dict, reason: str, kind: str, churned: str):
    row = stage.subscription(name)
    assert (row["status"], row["entitled"], row["reason"]) == ("expired", False, reason), row
    left = stage.churn("churned")[row["originalTransactionId"]]
    assert (left["class"], left["endedAt"], left["churnedAt"]) == (kind, bought["expiresAt"], churned), left


def state_other_reason(stage: Stage, device: Device):
    """Takes in a later answer of verifyReceipt, from a file, in which Apple states the intent 5."""
    stage.wait(hours=1)
    answer = stage.verify_receipt(device.receipt())
    for renewal in answer["pending_renewal_info"]:
        renewal["expiration_intent"] = "5"
    file = stage.folder / "answer.json"
    file.write_text(json.dumps(answer))
    stage.run("ingest", str(file), "--trust-files")


def paid_days_before_return(stage: Stage, number: int, name: str) -> int:
    """Buys what a customer had, and returns the paid days that count for Apple's share."""
    stage.devices[number].buy("pro.monthly")
    stage.devices[number].open(name)
    sales = stage.get("/v1/revenue", charges="true")["rows"]
    (sale,) = [sale for sale in sales if sale["at"] == iso(stage.now)]
    return sale["paidDays"]


def leave_unheard(stage: Stage):
    """Without any word of Apple after the purchase, nobody knows why it ended."""
    stage.devices[0].buy("pro.monthly")
    stage.devices[0].open("anna")
    bought = stage.subscription("anna")
    stage.wait_until(instant(bought["expiresAt"]) + 30 * DAY)
    check_left(stage, "anna", bought, "unknown", "unknown", bought["expiresAt"])


def leave_by_script(player: Player, change: str, reason: str, kind: str, next_step: str):
    with player.stage(customers=CUSTOMERS, scripted=True) as stage:
        number = first_customer(stage, change)
        (end,) = [row["expiresAt"] for row in stage.truth(number) if row["status"] == "expired"]
        check_left(stage, f"customer-{number}", {"expiresAt": end}, reason, kind, end)
        assert stage.customer(f"customer-{number}")["nextStep"] == next_step


def first_customer(stage: Stage, change: str) -> int:
    """Lets days pass until a change has happened to a customer of the script, and returns the customer's number."""
    while change not in stage.happened():
        stage.wait(days=1)
        stage.poll()
    return stage.happened()[change][0]


@flow(22)
def introductory_price(player: Player):
    with player.stage() as stage:
        device = stage.devices[0]
        trial = subscribe(stage, device, "anna", offerId="introductory")["transactionId"]
        check_consumed(stage, "anna", trial)
        device.restore()
        device.open("anna")
        check_consumed(stage, "anna", trial)
        stage.wait(days=8)
        device.act("refund")
        stage.wait_until(stage.now + SIGNING)
        stage.poll()
        assert stage.subscription("anna")["reason"] == "refunded"
        check_consumed(stage, "anna", trial)

        device.post("anna", **device.current())
        check_consumed(stage, "anna", trial)
        answer = device.post("carl", **device.current())
        assert {row["code"] for row in answer["refused"]} == {"link_refused"}, answer
        check_consumed(stage, "carl", trial)
        assert {row["reason"] for row in offers(stage, "bert").values()} == {"neverSubscribed"}
    with player.stage(customers=CUSTOMERS, scripted=True) as stage:
        share_with_family(stage)


def share_with_family(stage: Stage):
    """A member of the family has what was bought at an introductory price, and may still get one."""
    number = first_customer(stage, "familyShare")
    purchaser = number - CUSTOMERS
    (shared,), (bought,) = stage.truth(number), stage.truth(purchaser)
    check_consumed(stage, f"customer-{purchaser}", bought["introConsumedBy"])
    row = stage.subscription(f"customer-{number}")
    assert (row["ownership"], row["productId"], row["entitled"]) == ("FAMILY_SHARED", shared["productId"], True), row
    assert all(row["eligible"] for row in offers(stage, f"customer-{number}").values())


def check_consumed(stage: Stage, name: str, transaction: str):
    """No product of the group has an introductory price any more, because of one transaction. Another group has."""
    rows = offers(stage, name)
    group = {product: row for product, row in rows.items() if product.startswith("pro.")}
    assert len(group) == 5 and {row["group"] for row in group.values()} == {PRO}, rows
    for row in group.values():
        assert (row["eligible"], row["reason"]) == (False, "consumed"), row
        assert row["decidedBy"]["transactionId"] == transaction, row
        assert [consumed["transactionId"] for consumed in row["consumedBy"]] == [transaction], row
    others = [row for product, row in rows.items() if product.startswith("news.")]
    assert len(others) == 3 and all(row["eligible"] for row in others), rows


def offers(stage: Stage, name: str) -> dict[str, dict]:
    return {row["productId"]: row for row in stage.get("/v1/offers", customer=name)["offers"]}


def on_sale(product: str, group: str, duration: str, **offer) -> dict:
    """Returns a product of the catalogue with an introductory offer."""
    return {
        "id": product, "type": "autoRenewable", "group": group, "level": 1, "duration": duration,
        "offers": [{"kind": "introductory", **offer}],
    }  # fmt: skip


# The introductory offers that session 704 names.
INTRODUCTIONS = {
    "version": 1,
    "bundleId": "com.example.app",
    "groups": [{"id": PRO, "name": "Pro"}, {"id": NEWS, "name": "News"}],
    "products": [
        on_sale("news.quarterly", NEWS, "P3M", payment="payAsYouGo", period="P3M", periods=2, priceMilliunits=4_990),
        on_sale("news.sport.monthly", NEWS, "P1M", payment="payUpFront", period="P6M", priceMilliunits=9_990),
        on_sale("pro.monthly", PRO, "P1M", payment="freeTrial", period="P1W"),
    ],
}


@flow(23)
def which_introduction(player: Player):
    with player.stage() as stage:
        catalog = stage.folder / "introductions.yaml"
        catalog.write_text(json.dumps(INTRODUCTIONS))
        stage.run("catalog", "apply", str(catalog))
        rows = offers(stage, "anna")
        check_terms(rows["news.quarterly"], "payAsYouGo", "P3M", 2, 4_990, ["2025-01-01", "2025-04-01", "2025-07-01"])
        check_terms(rows["news.sport.monthly"], "payUpFront", "P6M", 1, 9_990, ["2025-01-01", "2025-07-01"])
        check_terms(rows["pro.monthly"], "freeTrial", "P1W", 1, None, ["2025-01-01", "2025-01-08"])
    with player.stage() as stage:
        days = ["2025-01-01", "2025-02-01", "2025-03-01", "2025-04-01"]
        convert(stage, "pro.basic.monthly", "payAsYouGo", "P1M", 990, days)
    with player.stage() as stage:
        convert(stage, "news.monthly", "payUpFront", "P2M", 1_990, ["2025-01-01", "2025-03-01"])
    with player.stage() as stage:
        convert(stage, "pro.monthly", "freeTrial", "P1W", None, ["2025-01-01", "2025-01-08"])


def check_terms(row: dict, payment: str, period: str, periods: int, price: int | None, days: list[str]):
    """An offer has its terms, and a charge on each day. The last one is the first at the standard price."""
    assert row["eligible"], row
    assert row["offer"] == {"payment": payment, "period": period, "periods": periods, "price": price}, row
    *introductory, standard = row["schedule"]
    assert [charge["from"] for charge in row["schedule"]] == [f"{day}T00:00:00.000Z" for day in days], row
    assert [charge["until"] for charge in introductory] == [charge["from"] for charge in row["schedule"][1:]], row
    assert {(charge["payment"], charge["price"]) for charge in introductory} == {(payment, price or 0)}, row
    assert (standard["payment"], standard["until"]) == ("standard", None), row


def convert(stage: Stage, product: str, payment: str, period: str, price: int | None, days: list[str]):
    """The purchase keeps the days that the offer told. It is converted at the first charge of the standard price."""
    check_terms(offers(stage, "anna")[product], payment, period, len(days) - 1, price, days)
    row = subscribe(stage, stage.devices[0], "anna", product, offerId="introductory")
    assert row["offer"]["type"] == "introductory", row
    if stage.form == "transactions":
        assert row["offer"]["discountType"] == payment, row

    converted = instant(f"{days[-1]}T00:00:00Z")
    stage.wait_until(converted - DAY)
    stage.poll()
    assert outcome(stage) == {"started": 1, "pending": 1}
    stage.wait_until(converted + timedelta(hours=2))
    stage.poll()
    assert outcome(stage) == {"started": 1, "converted": 1}
    row = stage.subscription("anna")
    assert (row["purchasedAt"], row["offer"], row["reason"]) == (iso(converted), None, "paid"), row
    assert [change["at"][:10] for change in stage.history("anna") if change["transactionId"]] == days
    # The history has the word where money is paid for the first time.
    assert ("converted" in stage.changes("anna")) == (payment == "freeTrial")


def outcome(stage: Stage) -> dict[str, int]:
    """What became of the only offer."""
    (row,) = stage.get("/v1/churn", funnel="true")["rows"]
    return {name: count for name, count in row.items() if name != "offer" and count}

"""Proactive restore: what a customer has, before a button is shown (Tech Talk 110404)."""

from datetime import timedelta

from stage import MOMENT, NEWS, PRO, Device, Player, Stage, apart_from_positions, ask, flow, instant, iso


@flow(27)
def new_device(player: Player):
    with player.stage(notified=False) as stage:
        device = stage.devices[0]
        for product in ("season", "news.monthly", "coins.100"):
            device.buy(product)
        device.act("cancel")
        stage.wait(days=100)
        for product in ("pro.monthly", "unlock"):
            device.buy(product)
        found = device.current()
        stage.wait(days=2)

        answer = device.post("anna", **found)
        states = {row["productId"]: row["state"] for row in answer["customer"]["products"]}
        expected = {
            "pro.monthly": "active", "unlock": "active", "news.monthly": "inactive", "season": "inactive",
        }  # fmt: skip
        assert states == {name: expected.get(name, "new") for name in states}, states
        assert states.keys() >= {"pro.yearly", "pro.max.monthly", "news.quarterly", *expected}
        assert "coins.100" not in states
        groups = {row["group"]: row["state"] for row in answer["customer"]["groups"]}
        assert groups == {PRO: "active", NEWS: "inactive"}, groups
        assert [row["productId"] for row in answer["customer"]["purchases"] if row["type"] == "Consumable"] == [
            "coins.100"
        ]
        assert answer["customer"]["entitled"]


@flow(28)
def no_receipt(player: Player):
    with player.stage() as stage:
        status, answer = ask(f"{stage.ledger.url}/v1/customers/anna")
        assert status == 200 and not answer["entitled"] and answer["nextStep"] == "none", answer
        assert {row["state"] for row in answer["products"] + answer["groups"]} == {"new"}, answer
        status, posted = ask(f"{stage.ledger.url}/v1/transactions", "POST", {"customerId": "anna"})
        assert status == 200 and posted["finish"] == posted["refused"] == [], posted
        assert apart_from_positions(posted["customer"]) == apart_from_positions(answer), posted

        # The customer of the app signs in to the App Store with one Apple account, then with another.
        first, second = stage.relative(0), stage.relative(1)
        first.buy("news.monthly")
        second.buy("pro.monthly")
        first.open("anna")
        assert second.post("anna")["refused"] == []
        states = stage.states("anna")
        assert states["news.monthly"] == states["pro.monthly"] == "active"
        follow_claim_rules(stage)


def follow_claim_rules(stage: Stage):
    """An Apple account whose purchases are those of another customer already."""
    device = stage.relative(2)
    device.buy("unlock")
    device.post("ben")
    (refused,) = device.post("anna")["refused"]
    assert refused["code"] == "link_refused"
    assert owners(stage) == ["ben"]
    for rule, expected in [("move", ["anna"]), ("share", ["anna", "ben"])]:
        rules = stage.rules(customers={"claimConflict": rule})
        stage.run("project", "activate", "--rules", rules, "--by", "anna", "--yes")
        device.post("anna")
        assert owners(stage) == expected, rule


def owners(stage: Stage) -> list[str]:
    return [name for name in ("anna", "ben") if stage.states(name)["unlock"] == "active"]


@flow(29)
def inactive(player: Player):
    with player.stage() as stage:
        expired, refunded, failing = stage.devices
        names = {expired: "anna", refunded: "ben", failing: "carl"}
        for device in stage.devices:
            device.buy("pro.max.monthly")
        for device, name in names.items():
            device.open(name)
            assert stage.states(name)[PRO] == "active"

        expired.act("cancel")
        refunded.act("refund")
        failing.act("fail-billing")
        end = instant(stage.subscription("carl")["expiresAt"])
        let_pass(stage, end + timedelta(days=1))
        check_inactive(stage, "anna", status="expired", next_step="resubscribe")
        check_inactive(stage, "ben", status="revoked", next_step="resubscribe")
        in_grace = stage.subscription("carl")
        assert in_grace["status"] == "gracePeriod" and in_grace["entitled"], in_grace
        assert stage.states("carl")["pro.max.monthly"] == stage.states("carl")[PRO] == "active"
        check_billing_step(stage, "carl")

        let_pass(stage, instant(in_grace["gracePeriodExpiresAt"]) + timedelta(hours=1))
        check_inactive(stage, "carl", status="billingRetry", next_step="fixBilling")
        check_billing_step(stage, "carl")
    with player.stage() as stage:
        lose_family_access(stage)


def lose_family_access(stage: Stage):
    """The purchaser stops sharing. The relative, who paid for nothing, is not asked to subscribe again."""
    purchaser, relative = stage.devices[0], stage.relative(0)
    purchaser.buy("pro.max.monthly")
    purchaser.open("anna")
    purchaser.act("share")
    relative.open("ben")
    assert stage.states("ben")["pro.max.monthly"] == stage.states("ben")[PRO] == "active"

    stage.wait(days=10)
    stopped = iso(stage.now)
    purchaser.act("stop-sharing")
    let_pass(stage, stage.now + timedelta(hours=1))
    check_inactive(stage, "ben", status="revoked", next_step="none")
    row = stage.subscription("ben")
    assert (row["reason"], row["ownership"], row["revokedAt"]) == ("familyRevoked", "FAMILY_SHARED", stopped), row
    assert stage.changes("ben").count("revoked") == 1
    assert stage.customer("anna")["entitled"] and stage.states("anna")[PRO] == "active"


def let_pass(stage: Stage, until):
    """Lets time pass in which notifications arrive, and asks Apple about what is due then."""
    stage.wait_until(until)
    stage.poll()


def check_inactive(stage: Stage, name: str, status: str, next_step: str):
    row = stage.subscription(name)
    assert (row["status"], row["nextStep"], row["entitled"]) == (status, next_step, False), row
    states = stage.states(name)
    assert states["pro.max.monthly"] == states[PRO] == "inactive", states
    answer = stage.customer(name)
    assert answer["nextStep"] == next_step and not answer["entitled"], answer


def check_billing_step(stage: Stage, name: str):
    assert stage.subscription(name)["nextStep"] == "fixBilling"
    (step,) = [row for row in stage.customer(name)["nextSteps"] if row["step"] == "fixBilling"]
    assert step["productId"] == "pro.max.monthly" and step["url"].startswith("https://apps.apple.com/"), step


@flow(30)
def off_platform(player: Player):
    with player.stage() as stage:
        device = stage.devices[0]
        device.buy("pro.max.monthly")
        device.open("anna")
        device.act("cancel")
        stage.wait(days=40)
        lapsed = stage.customer("anna")
        assert not lapsed["entitled"] and lapsed["nextStep"] == "resubscribe", lapsed

        end = stage.now + timedelta(days=30)
        reason = "paid by invoice 1041"
        stage.run("customer", "grant", "anna", "pro", "--until", iso(end), "--because", reason)
        stage.wait_until(end - MOMENT)
        granted = stage.customer("anna")
        (entitlement,) = granted["entitlements"]
        assert granted["entitled"] and entitlement["id"] == "pro" and instant(entitlement["until"]) == end, granted
        (because,) = entitlement["because"]
        (event,) = stage.events("entitlementGranted")
        assert because == {"grant": event["position"], "because": reason}, because
        (row,) = granted["subscriptions"]
        assert row["status"] == "expired" and not row["entitled"] and stage.states("anna")[PRO] == "inactive"
        assert granted["nextStep"] == "none", granted

        stage.wait_until(end)
        over = stage.customer("anna")
        assert not over["entitled"] and over["entitlements"] == [] and over["nextStep"] == "resubscribe", over

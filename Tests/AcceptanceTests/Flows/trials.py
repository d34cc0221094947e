"""Apps without subscriptions: a trial, and a paid app that is free now (session 704)."""

from datetime import datetime, timedelta, timezone

from stage import MOMENT, Device, Player, Stage, call, flow, instant, iso


@flow(25)
def trial_of_14_days(player: Player):
    with player.stage(notified=False) as stage:
        device = stage.devices[0]
        assert stage.states("anna")["trial14"] == stage.states("anna")["unlock"] == "new"
        end = stage.now + timedelta(days=14)
        device.buy("trial14")
        device.open("anna")
        check_running(stage, "anna", end, days_left=14)

        # The app is deleted, and restores the purchase under a new date.
        stage.wait(days=9, hours=12)
        device.restore()
        device.open("anna")
        check_running(stage, "anna", end, days_left=4)
        stage.wait_until(end - MOMENT)
        check_running(stage, "anna", end, days_left=0)
        stage.wait_until(end)
        check_over(stage, "anna")
        stage.wait(days=3)
        device.restore()
        device.open("anna")
        check_over(stage, "anna")

        device.buy("unlock")
        device.open("anna")
        assert stage.states("anna")["unlock"] == "active"
        for years in (0, 10):
            later = stage.customer("anna", asOf=iso(stage.now + timedelta(days=365 * years)))
            assert later["entitled"] and later["entitlements"][0]["until"] is None, later
            assert later["nextSteps"] == [], later
        check_restored_first(stage)


def check_running(stage: Stage, name: str, end: datetime, days_left: int):
    """The trial gives access until its end, and the answer has what the app shows: how long, what goes, what to buy."""
    answer = stage.customer(name)
    assert answer["entitled"] and stage.states(name)["trial14"] == "active" and stage.states(name)["unlock"] == "new"
    assert answer["entitlements"] and {instant(row["until"]) for row in answer["entitlements"]} == {end}, answer
    (step,) = answer["nextSteps"]
    assert step["step"] == "buy" and step["productId"] == "trial14" and step["productIds"] == ["unlock"], step
    assert instant(step["until"]) == end and step["daysLeft"] == days_left, step
    assert step["entitlements"] == [row["id"] for row in answer["entitlements"]], step


def check_over(stage: Stage, name: str):
    answer = stage.customer(name)
    assert not answer["entitled"] and answer["entitlements"] == [], answer
    assert stage.states(name)["trial14"] == "inactive" and stage.states(name)["unlock"] == "new"


def check_restored_first(stage: Stage):
    """A trial of which the ledger first sees the restored copy began when it was bought."""
    device = stage.devices[1]
    end = stage.now + timedelta(days=14)
    device.buy("trial14")
    stage.wait(days=10)
    device.restore()
    device.open("ben")
    check_running(stage, "ben", end, days_left=4)


@flow(26)
def paid_app_turned_free(player: Player):
    with player.stage() as stage:
        device = stage.devices[0]
        turn_free(stage, version='"41"')
        assert not stage.customer("anna")["entitled"]
        post_download(device, "anna")
        check_paid(stage, "anna")
        assert set(stage.states("anna").values()) == {"new"}
        stage.wait(days=400)
        post_download(device, "anna")
        check_paid(stage, "anna")

        # The app was downloaded first as version 40. Components are numbers.
        for version, is_paid in [("40", False), ("9", False), ("100", True), ("40.1", True)]:
            turn_free(stage, version=f'"{version}"')
            assert stage.customer("anna")["entitled"] == is_paid, version
        # A date decides alone where there is one. It was downloaded on the day of the first purchase.
        for date, is_paid in [("2024-12-31", False), ("2027-01-01", True)]:
            turn_free(stage, version='"41"', date=date)
            assert stage.customer("anna")["entitled"] == is_paid, date

    with player.stage(environment="Sandbox") as stage:
        turn_free(stage, version='"41"')
        post_download(stage.devices[0], "anna")
        found = stage.customer("anna", environment="Sandbox")
        assert not found["entitled"] and found["entitlements"] == [], found
        assert not stage.customer("anna")["entitled"]


def turn_free(stage: Stage, version: str, date: str = "null"):
    """Applies the catalogue of the store with the last version, or the last day, of the app that was paid for."""
    catalog = (stage.folder / "store" / "catalog.yaml").read_text()
    file = stage.folder / "catalog.yaml"
    file.write_text(f"{catalog}paidUntil: {{version: {version}, date: {date}, entitlements: [pro]}}\n")
    stage.run("catalog", "apply", str(file))


def post_download(device: Device, customer: str):
    """Posts what the App Store signs about the download of the app."""
    if device.stage.form == "receipts":
        device.post(customer)
    else:
        device.post(customer, signedTransactions=[], **call(f"{device.url}/app-transaction"))


def check_paid(stage: Stage, name: str):
    answer = stage.customer(name)
    (entitlement,) = answer["entitlements"]
    assert answer["entitled"] and entitlement["id"] == "pro" and entitlement["until"] is None, answer
    (because,) = entitlement["because"]
    assert "originalTransactionId" not in because and because["bundleId"] == "com.example.app", because

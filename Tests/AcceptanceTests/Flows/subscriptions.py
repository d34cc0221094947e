"""The server knows: renewals, failures, upgrades and refunds that the app did not bring (session 705)."""

from datetime import timedelta

from stage import Player, flow, instant


@flow(13)
def renewal_nobody_brought(player: Player):
    with player.stage(notified=False) as stage:
        device = stage.devices[0]
        device.buy("pro.monthly")
        device.open("anna")
        bought = stage.subscription("anna")
        assert bought["entitled"], bought

        stage.wait_until(instant(bought["expiresAt"]) + timedelta(hours=2))
        assert "periodEnded" in [row["why"] for row in stage.due()], stage.due()
        assert stage.poll()["changed"] == 1
        renewed = stage.subscription("anna")
        assert renewed["entitled"] and renewed["expiresAt"] > bought["expiresAt"], renewed
        assert renewed["originalTransactionId"] == bought["originalTransactionId"]
        assert "renewed" in stage.changes("anna")

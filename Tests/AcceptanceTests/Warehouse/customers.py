"""Customers of a simulated app, from its notifications, without code of the ledger."""

import base64
import json
import pathlib


def payload(jws: str) -> dict:
    part = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def alone(notifications: str) -> dict[str, str]:
    """A subscription of each customer who bought everything with one Apple account and one token, by the token."""
    tokens: dict[str, set] = {}
    accounts: dict[str, set] = {}
    subscriptions: dict[str, str] = {}
    for line in pathlib.Path(notifications).read_text().splitlines():
        signed = payload(json.loads(line)["signedPayload"]).get("data", {}).get("signedTransactionInfo")
        if signed is None:
            continue
        transaction = payload(signed)
        token, account = transaction.get("appAccountToken"), transaction.get("appTransactionId")
        tokens.setdefault(account, set()).add(token)
        accounts.setdefault(token, set()).add(account)
        if transaction["type"].startswith("Auto-Renewable") and transaction["environment"] == "Production":
            subscriptions[token] = transaction["originalTransactionId"]

    def is_alone(token: str | None) -> bool:
        return token is not None and len(accounts[token]) == 1 and all(tokens[name] == {token} for name in accounts[token])

    return {token: subscription for token, subscription in subscriptions.items() if is_alone(token)}

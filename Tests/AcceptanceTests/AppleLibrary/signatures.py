"""Compares the signatures of the ledger with those of Apple's own library, under one key.

signatures.py SIMULATOR SUBLEDGER FOLDER

A ledger learns of a simulated App Store's subscribers and signs offers to them. Every signature, of the ledger and of
Apple's library, is verified with the public key, and both must have the same claims. Prints a JSON object of counts; any
disagreement is an exception.
"""

import base64
import json
import pathlib
import subprocess
import sys
import time
import urllib.error
import uuid
from datetime import datetime, timedelta, timezone

import jwt
from appstoreserverlibrary.jws_signature_creator import (
    IntroductoryOfferEligibilitySignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

sys.path.append(str(pathlib.Path(__file__).parent.parent / "Support"))
from beside_store import Ledger, Store, call, free_port, iso  # noqa: E402

simulator, subledger, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
START = datetime(2025, 1, 1, tzinfo=timezone.utc)
NOW = START + timedelta(days=75)
TOKEN = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
RANDOM = {"nonce", "iat"}
counts = {"promotional": 0, "introductory": 0, "ineligible": 0}


def verified_claims(jws: str, public_key, audience: str) -> dict:
    header = jwt.get_unverified_header(jws)
    assert header == {"alg": "ES256", "typ": "JWT", "kid": api["keyId"]}, header
    # The time of the virtual clock is not that of this machine.
    return jwt.decode(jws, public_key, ["ES256"], audience=audience, options={"verify_iat": False})


def same(ours: dict, apples: dict):
    assert ours.keys() == apples.keys(), f"{ours.keys()} {apples.keys()}"
    for name in ours.keys() - RANDOM:
        assert ours[name] == apples[name], f"{name}: {ours[name]} {apples[name]}"
    for claims in (ours, apples):
        assert str(uuid.UUID(claims["nonce"])) == claims["nonce"]
        assert isinstance(claims["iat"], int)


def verify_promotional(answer: dict, public_key, key: bytes):
    terms = [answer["productId"], answer["offerId"]]
    creator = PromotionalOfferSignatureCreator(key, answer["keyId"], api["bundleId"])
    nonce = uuid.UUID(answer["nonce"])
    apples = creator.create_signature(*terms, answer["appAccountToken"], nonce, answer["timestamp"])
    parts = [api["bundleId"], answer["keyId"], *terms, TOKEN.lower(), answer["nonce"], str(answer["timestamp"])]
    text = "\u2063".join(parts).encode()
    for signature in (answer["signature"], apples):
        public_key.verify(base64.b64decode(signature), text, ECDSA(SHA256()))
    creator = PromotionalOfferV2SignatureCreator(key, api["keyId"], api["issuerId"], api["bundleId"])
    apples = creator.create_signature(*terms, answer["transactionId"])
    same(
        verified_claims(answer["jws"], public_key, "promotional-offer"),
        verified_claims(apples, public_key, "promotional-offer"),
    )


def verify_introductory(answer: dict, public_key, key: bytes):
    creator = IntroductoryOfferEligibilitySignatureCreator(key, api["keyId"], api["issuerId"], api["bundleId"])
    apples = creator.create_signature(answer["productId"], True, answer["transactionId"])
    audience = "introductory-offer-eligibility"
    same(
        verified_claims(answer["jws"], public_key, audience), verified_claims(apples, public_key, audience)
    )


store = Store(
    simulator, folder, "--seed", "11", "--customers", "60", "--months", "3", "--start", iso(START),
    "--fault", "lose=1",
)  # fmt: skip
ledger = None
try:
    store.set_clock(NOW)
    api = json.loads((folder / "store" / "api.json").read_text())
    key = (folder / "store" / "api-key.p8").read_bytes()
    public_key = load_pem_private_key(key, None).public_key()
    ledger = Ledger(subledger, folder, free_port(), store.url)
    rows = [
        row
        for row in call(f"{store.url}/simulator/truth?at={iso(NOW)}")["subscriptions"]
        if row["ownership"] == "PURCHASED"
    ]
    file = folder / "rows.ndjson"
    file.write_text(
        "".join(
            json.dumps({"originalTransactionId": row["originalTransactionId"], "customerId": str(row["customer"])}) + "\n"
            for row in rows
        )
    )
    # The budget refills with the clock, which stands still.
    importing = subprocess.Popen(
        [subledger, "import", str(file), "--config", str(ledger.config), "--format", "json"],
        stdout=subprocess.DEVNULL,
    )
    while importing.poll() is None:
        NOW += timedelta(minutes=1)
        store.set_clock(NOW)
        time.sleep(0.1)
    assert importing.returncode == 0, importing.returncode
    for row in rows:
        body = {"customerId": str(row["customer"]), "productId": row["productId"]}
        url = ledger.url + "/v1/offer-signatures"
        verify_promotional(call(url, "POST", **body, offerId="winter", appAccountToken=TOKEN), public_key, key)
        counts["promotional"] += 1
        try:
            verify_introductory(call(url, "POST", **body), public_key, key)
            counts["introductory"] += 1
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            assert error.code == 409 and problem["code"] == "offer_ineligible", problem
            # A product that does not renew has no group.
            assert "transaction " in problem["found"] or problem["found"] == "groupUnknown", problem
            counts["ineligible"] += 1
    print(json.dumps(counts))
finally:
    if ledger:
        ledger.stop()
    store.stop()

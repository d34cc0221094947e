"""Exercises the simulated App Store with Apple's own library, of which only the base URL is changed.

exercise.py SIMULATOR FOLDER

Starts the simulator with a server for its notifications, calls every endpoint, and verifies everything signed. Prints a
JSON object of counts; any disagreement is an exception.
"""

import http.server
import json
import pathlib
import subprocess
import sys
import threading
import time
import urllib.request
import uuid
import warnings

from appstoreserverlibrary.api_client import APIError, APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

warnings.simplefilter("ignore", DeprecationWarning)
simulator, folder = sys.argv[1], pathlib.Path(sys.argv[2])
counts: dict[str, int] = {}
received: list[str] = []


class Receiver(http.server.BaseHTTPRequestHandler):
    """The server of the app, which refuses every tenth notification once."""

    refused: set[str] = set()

    def do_POST(self):
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["signedPayload"]
        identifier = str(len(received))
        if len(received) % 10 == 9 and identifier not in self.refused:
            self.refused.add(identifier)
            self.send_response(503)
        else:
            received.append(payload)
            self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def count(name: str, number: int = 1):
    counts[name] = counts.get(name, 0) + number


def equal(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def refused(code: APIError, call):
    try:
        call()
    except APIException as error:
        equal(error.api_error, code)
        count("refusals")
        return
    raise AssertionError(f"expected {code}")


def get(path: str):
    with urllib.request.urlopen(base + path) as answer:
        return json.load(answer)


def put_clock(**members):
    request = urllib.request.Request(
        base + "/simulator/clock", json.dumps(members).encode(), {"Content-Type": "application/json"}, method="PUT"
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
process = subprocess.Popen(
    [simulator, "serve", "--customers", "120", "--seed", "2", "--port", "0", "--pause", "--out", str(folder)]
    + ["--notify", f"http://127.0.0.1:{server.server_port}/"],
    stdout=subprocess.PIPE,
    text=True,
)
try:
    base = process.stdout.readline().removeprefix("listening on ").strip()
    api = json.loads((folder / "api.json").read_text())
    equal(api["baseURL"], base)
    client = AppStoreServerAPIClient(
        (folder / "api-key.p8").read_bytes(), api["keyId"], api["issuerId"], api["bundleId"], Environment.PRODUCTION
    )
    client._base_url = base
    verifier = SignedDataVerifier(
        [(folder / "root.der").read_bytes()], False, Environment.PRODUCTION, api["bundleId"], api["appAppleId"]
    )
    clock = put_clock(now="2026-06-01T00:00:00Z")
    equal(clock["now"], "2026-06-01T00:00:00.000Z")
    now = 1780272000000

    # Statuses
    truth = get("/simulator/truth")["subscriptions"]
    words = {"active": 1, "expired": 2, "billingRetry": 3, "gracePeriod": 4, "revoked": 5}
    for row in truth:
        answer = client.get_all_subscription_statuses(row["originalTransactionId"], [Status(n) for n in range(1, 6)])
        equal((answer.bundleId, answer.appAppleId), (api["bundleId"], api["appAppleId"]))
        for item in (item for group in answer.data for item in group.lastTransactions):
            transaction = verifier.verify_and_decode_signed_transaction(item.signedTransactionInfo)
            renewal_info = verifier.verify_and_decode_renewal_info(item.signedRenewalInfo)
            equal(transaction.originalTransactionId, renewal_info.originalTransactionId)
            if item.originalTransactionId == row["originalTransactionId"]:
                equal(item.status, Status(words[row["status"]]))
                count("statuses")

    # Transactions: those of weekly plans fill several pages
    for row in sorted(truth, key=lambda row: "weekly" not in row["productId"])[:40]:
        key = row["originalTransactionId"]
        for version in GetTransactionHistoryVersion:
            revision, has_more, found = None, True, []
            while has_more:
                request = TransactionHistoryRequest(sort=Order.ASCENDING, revoked=False, productTypes=list(ProductType))
                page = client.get_transaction_history(key, revision, request, version)
                revision, has_more = page.revision, page.hasMore
                found += [verifier.verify_and_decode_signed_transaction(jws) for jws in page.signedTransactions]
                count("historyPages")
            equal(len({transaction.transactionId for transaction in found}), len(found))
            count("longHistories", len(found) > 20)
        refunds = client.get_refund_history(key, None)
        for jws in refunds.signedTransactions:
            assert verifier.verify_and_decode_signed_transaction(jws).revocationDate is not None
            count("refunds")
    key = next(
        row["originalTransactionId"]
        for row in truth
        if row["status"] == "active" and row["ownership"] == "PURCHASED" and row["paidDays"] > 0 and row["willRenew"]
    )
    info = client.get_transaction_info(key)
    transaction = verifier.verify_and_decode_signed_transaction(info.signedTransactionInfo)
    equal(transaction.transactionId, key)
    app_transaction = verifier.verify_and_decode_app_transaction(client.get_app_transaction_info(key).signedAppTransactionInfo)
    equal(app_transaction.appTransactionId, transaction.appTransactionId)
    equal(client.look_up_order_id("NONE").status, OrderLookupStatus.INVALID)
    refused(APIError.TRANSACTION_ID_NOT_FOUND, lambda: client.get_transaction_info("7"))
    refused(APIError.INVALID_REQUEST_REVISION, lambda: client.get_transaction_history(key, "x", TransactionHistoryRequest()))

    # Notifications
    test = client.request_test_notification().testNotificationToken
    put_clock(now="2026-06-01T03:00:00Z")
    status = client.get_test_notification_status(test)
    equal(verifier.verify_and_decode_notification(status.signedPayload).notificationType, NotificationTypeV2.TEST)
    equal(status.sendAttempts[-1].sendAttemptResult, SendAttemptResult.SUCCESS)
    token, has_more, history = None, True, set()
    while has_more:
        request = NotificationHistoryRequest(startDate=now - 170 * 86_400_000, endDate=now)
        page = client.get_notification_history(token, request)
        token, has_more = page.paginationToken, page.hasMore
        for item in page.notificationHistory:
            notification = verifier.verify_and_decode_notification(item.signedPayload)
            assert notification.notificationUUID not in history
            history.add(notification.notificationUUID)
            equal(item.sendAttempts[-1].sendAttemptResult, SendAttemptResult.SUCCESS)
            count("retried", len(item.sendAttempts) - 1)
        count("notificationPages")
    delivered = {verifier.verify_and_decode_notification(payload).notificationUUID for payload in received}
    assert history <= delivered
    count("notifications", len(delivered))
    refused(
        APIError.START_DATE_TOO_FAR_IN_PAST,
        lambda: client.get_notification_history(None, NotificationHistoryRequest(startDate=0, endDate=now)),
    )

    # Acts
    extension = ExtendRenewalDateRequest(
        extendByDays=5, extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION, requestIdentifier="one"
    )
    extended = client.extend_subscription_renewal_date(key, extension)
    assert extended.success and extended.effectiveDate > now
    account_token = str(uuid.uuid4())
    client.set_app_account_token(key, UpdateAppAccountTokenRequest(appAccountToken=account_token))
    newest = client.get_all_subscription_statuses(key).data
    tokens = [
        verifier.verify_and_decode_signed_transaction(item.signedTransactionInfo).appAccountToken
        for group in newest
        for item in group.lastTransactions
        if item.originalTransactionId == key
    ]
    equal(tokens, [account_token])
    client.finish_transaction(key)
    client.send_consumption_information(
        key, ConsumptionRequest(customerConsented=True, deliveryStatus=DeliveryStatus.DELIVERED, sampleContentProvided=False)
    )
    client.send_consumption_data(key, ConsumptionRequestV1(customerConsented=True))
    request_identifier = str(uuid.uuid4())
    mass = MassExtendRenewalDateRequest(
        extendByDays=3,
        extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE,
        requestIdentifier=request_identifier,
        productId="pro.yearly",
    )
    equal(client.extend_renewal_date_for_all_active_subscribers(mass).requestIdentifier, request_identifier)
    result = client.get_status_of_subscription_renewal_date_extensions(request_identifier, "pro.yearly")
    assert result.complete and result.succeededCount > 0
    count("extended", result.succeededCount)
    received.clear()
    put_clock(now="2026-06-01T06:00:00Z")
    told = [verifier.verify_and_decode_notification(payload) for payload in received]
    summary = next(item for item in told if item.subtype == Subtype.SUMMARY)
    equal((summary.summary.succeededCount, summary.summary.failedCount), (result.succeededCount, result.failedCount))
    assert sum(item.notificationType == NotificationTypeV2.RENEWAL_EXTENDED for item in told) >= result.succeededCount
    print(json.dumps(counts))
finally:
    process.terminate()
    process.wait()

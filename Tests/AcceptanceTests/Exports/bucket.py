"""Serves a bucket on a free port of this machine: moto's S3, behind a check of each signature by botocore.

bucket.py KEY SECRET      prints the URL, then answers each line of its input with a line of JSON:
  list          the SHA-256 of each object by its key
  put KEY TEXT  stores an object
  writes        the number of requests that changed something
  uploads       the number of uploads in parts that are neither completed nor aborted
  cut N         cuts the connection of each request after N more that change something
  hold N        lets each request after N more that change something wait for `resume`, and cuts its connection then
  lose N        carries out the next N requests that change something, and cuts their connections
  resume        serves everything again
"""

import hashlib
import io
import json
import socket
import sys
import threading

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

KEY, SECRET = sys.argv[1:3]
BUCKET, REGION = "warehouse", "us-east-1"


class Storage:
    def __init__(self):
        self.moto = DomainDispatcherApplication(create_backend_app)
        self.lock = threading.Lock()
        self.writes = 0
        self.until_cut: int | None = None
        self.resumed = threading.Event()
        self.to_lose = 0

    def __call__(self, environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        is_write = environ["REQUEST_METHOD"] in ("PUT", "POST", "DELETE")
        with self.lock:
            is_cut = self.until_cut == 0
            if is_write and not is_cut:
                self.writes += 1
                if self.until_cut is not None:
                    self.until_cut -= 1
        if is_cut:
            self.resumed.wait()
            return cut(environ)
        code = refusal(environ, body)
        if code is not None:
            start_response("403 Forbidden", [("Content-Type", "application/xml")])
            return [f"<Error><Code>{code}</Code><Message>refused</Message></Error>".encode()]
        answer = self.moto(environ, start_response)
        with self.lock:
            if is_write and self.to_lose > 0:
                self.to_lose -= 1
                return cut(environ)
        return answer


def cut(environ):
    environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    raise ConnectionResetError


def refusal(environ, body: bytes) -> str | None:
    """The code of the error for a request that is not signed with the secret; none for others."""
    fields = environ.get("HTTP_AUTHORIZATION", "").removeprefix("AWS4-HMAC-SHA256 ").split(", ")
    stated = dict(field.split("=", 1) for field in fields if "=" in field)
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    headers["content-type"] = environ.get("CONTENT_TYPE", "")
    signed = {name: headers[name] for name in stated["SignedHeaders"].split(";")}
    # What has to be signed, if it is sent.
    if any(name.startswith("x-amz-") and name not in signed for name in headers) or "host" not in signed:
        return "AccessDenied"
    request = AWSRequest(environ["REQUEST_METHOD"], f"http://{headers['host']}{environ['RAW_URI']}", signed, body)
    request.context["timestamp"] = signed["x-amz-date"]
    auth = S3SigV4Auth(Credentials(KEY, SECRET), "s3", REGION)
    text = auth.string_to_sign(request, auth.canonical_request(request))
    if stated["Credential"] != auth.scope(request) or stated["Signature"] != auth.signature(text, request):
        return "SignatureDoesNotMatch"
    if signed["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
        return "XAmzContentSHA256Mismatch"
    return None


class QuietHandler(WSGIRequestHandler):
    def log(self, *_):
        pass


def main():
    storage = Storage()
    server = make_server("127.0.0.1", 0, storage, threaded=True, request_handler=QuietHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.port}"
    client = boto3.client(
        "s3", endpoint_url=url, region_name=REGION, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
        config=Config(request_checksum_calculation="when_required"),
    )
    client.create_bucket(Bucket=BUCKET)
    storage.writes = 0
    print(url, flush=True)
    for line in sys.stdin:
        command, *arguments = line.split()
        answer = None
        match command:
            case "list":
                objects = client.list_objects_v2(Bucket=BUCKET).get("Contents", [])
                answer = {
                    item["Key"]: hashlib.sha256(
                        client.get_object(Bucket=BUCKET, Key=item["Key"])["Body"].read()
                    ).hexdigest()
                    for item in objects
                }
            case "put":
                client.put_object(Bucket=BUCKET, Key=arguments[0], Body=arguments[1].encode())
            case "writes":
                answer = storage.writes
            case "uploads":
                answer = len(client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []))
            case "cut":
                storage.resumed.set()
                storage.until_cut = int(arguments[0])
            case "hold":
                storage.resumed.clear()
                storage.until_cut = int(arguments[0])
            case "lose":
                storage.to_lose = int(arguments[0])
            case "resume":
                storage.until_cut = None
                storage.resumed.set()
        print(json.dumps(answer), flush=True)


main()

"""A ledger beside a simulated App Store, for tests that drive both from outside."""

import http.client
import json
import pathlib
import random
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from datetime import datetime


def iso(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def free_port() -> int:
    """A port that nothing listens on. No outgoing connection takes it before the ledger does: the kernels of Linux and
    macOS give these the ports from 32768 on."""
    while True:
        port = random.randrange(20_000, 32_768)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def call(url: str, method: str = "GET", **members):
    request = urllib.request.Request(
        url, json.dumps(members).encode() if members else None, {"Content-Type": "application/json"}, method=method
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def listening(process: subprocess.Popen) -> str:
    line = process.stdout.readline().decode()
    assert line.startswith("listening on "), f"no listener: {line!r}"
    return line.removeprefix("listening on ").strip()


class Ledger:
    """A ledger beside a simulated App Store, on its clock. It has a key for the Server API, a shared secret, or both."""

    def __init__(
        self, subledger: str, folder: pathlib.Path, port: int, store: str, concurrency: int = 1,
        ways: tuple[str, ...] = ("serverAPI",), environments: tuple[str, ...] = ("Production",),
    ):  # fmt: skip
        self.subledger, self.folder, self.port, self.store = subledger, folder, port, store
        self.data, self.config = folder / "ledger", folder / "subledger.yaml"
        self.log = open(folder / "ledger.log", "ab")
        api = json.loads((folder / "store" / "api.json").read_text())
        self.config.write_text(
            json.dumps(
                {
                    "data": str(self.data),
                    # One call after the other, so that a seed meets the same faults each time.
                    "polling": {"concurrency": concurrency},
                    "trust": {"roots": [str(folder / "store" / name) for name in ("root.der", "receipt-root.der")]},
                    "apps": [
                        {
                            "bundleId": api["bundleId"],
                            "appAppleId": api["appAppleId"],
                            "environments": list(environments),
                            **{name: value for way in ways for name, value in self.access(way, api).items()},
                        }
                    ],
                }
            )
        )
        self.start()

    def access(self, way: str, api: dict) -> dict:
        store = self.folder / "store"
        if way == "verifyReceipt":
            return {
                "sharedSecretFile": str(store / "shared-secret"),
                "verifyReceiptURL": api["productionVerifyReceiptURL"],
                "verifyReceiptSandboxURL": api["sandboxVerifyReceiptURL"],
            }
        key = {name: api[name] for name in ("issuerId", "keyId", "baseURL")}
        return {"serverAPI": {**key, "keyFile": str(store / "api-key.p8")}}

    def start(self):
        options = ["--config", str(self.config), "--port", str(self.port), "--clock", self.store + "/simulator/clock"]
        self.process = subprocess.Popen([self.subledger, "serve", *options], stdout=subprocess.PIPE, stderr=self.log)
        try:
            self.url = listening(self.process)
        except AssertionError as error:
            error.add_note((self.folder / "ledger.log").read_text())
            raise
        # After a kill, the last facts are decoded again.
        while not self.is_ready():
            time.sleep(0.05)

    def is_ready(self) -> bool:
        try:
            return call(self.url + "/readyz")["derivedLag"] == 0
        except urllib.error.HTTPError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def run(self, *arguments: str):
        command = [self.subledger, *arguments, "--config", str(self.config), "--format", "json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def control(self, path: str, body: dict):
        """Does what a command hands over to the service, without a process each time."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(self.data / "control.sock"))
        connection.request("POST", path, json.dumps(body))
        answer = connection.getresponse()
        lines = answer.read().decode().splitlines()
        connection.close()
        assert answer.status == 200, lines
        return json.loads(lines[-1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Store:
    """A simulated App Store whose clock the caller moves."""

    def __init__(self, simulator: str, folder: pathlib.Path, *options: str):
        command = [simulator, "serve", "--pause", "--port", "0", "--out", str(folder / "store"), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.url = listening(self.process)

    def set_clock(self, now: datetime):
        call(self.url + "/simulator/clock", "PUT", now=iso(now))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

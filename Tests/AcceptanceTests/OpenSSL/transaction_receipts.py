"""Verifies transaction receipts of iOS 6 with OpenSSL, and shows what they state: a line of JSON for each.

transaction_receipts.py FILE...

A FILE has one receipt in base64. The layout of the signature is that of Apple's: a version, the RSA signature of 128 bytes in
version 2 and 256 in version 3, the length of the certificate in 4 bytes, and the certificate.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SIGNATURE_BYTES = {2: 128, 3: 256}


def entries(text: bytes) -> dict[str, str]:
    return dict(re.findall(r'"([^"]*)"\s*=\s*"([^"]*)"\s*;', text.decode()))


def openssl(*arguments: str, check: bool = True) -> subprocess.CompletedProcess:
    return subprocess.run(["openssl", *arguments], check=check, capture_output=True)


def is_authentic(version: int, signature: bytes, certificate: bytes, info: bytes) -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = {"der": certificate, "signature": signature, "signed": bytes([version]) + info}
        for file, content in files.items():
            (folder / file).write_bytes(content)
        key = openssl("x509", "-inform", "DER", "-in", f"{name}/der", "-pubkey", "-noout").stdout
        (folder / "key.pem").write_bytes(key)
        command = ["dgst", "-sha1", "-verify", f"{name}/key.pem", "-signature", f"{name}/signature", f"{name}/signed"]
        return openssl(*command, check=False).returncode == 0


def judge(file: str) -> dict:
    outer = entries(base64.b64decode(pathlib.Path(file).read_bytes()))
    info, blob = (base64.b64decode(outer[name]) for name in ("purchase-info", "signature"))
    version, size = blob[0], SIGNATURE_BYTES[blob[0]]
    signature, length, certificate = blob[1 : 1 + size], blob[1 + size : 5 + size], blob[5 + size :]
    assert int.from_bytes(length, "big") == len(certificate), file
    return {
        "version": version,
        "isAuthentic": is_authentic(version, signature, certificate, info),
        "certificate": base64.b64encode(certificate).decode(),
        "environment": outer.get("environment"),
        "pod": outer.get("pod"),
        "signingStatus": outer.get("signing-status"),
        "purchase": entries(info),
    }


for path in sys.argv[1:]:
    print(json.dumps(judge(path)))

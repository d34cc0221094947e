#!/usr/bin/env python3
"""Checks what an auditor got from a ledger, with nothing of the ledger's own code. The keys come from elsewhere.
  check-bundle.py bundle FOLDER LOG_KEY BUNDLE_KEY [ROOT.der ...]   an extracted bundle (checks 2 to 6)
  check-bundle.py checkpoint FILE LOG_KEY
  check-bundle.py inclusion PROOF RECORD LOG_KEY
  check-bundle.py consistency PROOF OLD NEW LOG_KEY
Apple's roots are pinned; ROOT.der are more to trust. Receipts and time stamps are left to openssl (README.md of the
bundle), and folding the events again to `subledger audit check`."""
import base64, hashlib, json, pathlib, re, sys
from datetime import datetime, timedelta, timezone
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
APPLE = {"63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
         "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050"}
LEAF_MARK, ISSUER_MARK = "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"
NESTED = (("data", "signedTransactionInfo"), ("data", "signedRenewalInfo"), ("appData", "signedAppTransactionInfo"))
MALFORMED = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)
class Bad(Exception): pass
def need(condition, what):
    if not condition: raise Bad(what)
def sha256(data): return hashlib.sha256(data).digest()
def unbase64(text, url=False):
    """Python ignores stray bits and characters, so the bytes are encoded again and compared."""
    decode, encode = (base64.urlsafe_b64decode, base64.urlsafe_b64encode) if url else (base64.b64decode, base64.b64encode)
    data = decode(text + "=" * (-len(text) % 4 if url else 0))
    again = encode(data).decode()
    need((again.rstrip("=") if url else again) == text, "base64 that is not canonical")
    return data
def note_text(data, vkey, only=False):
    """The text of a signed note, which the key must have signed. Unknown lines pass, unless there may be only one."""
    name, key_id, key = vkey.split("+", 2)
    key = unbase64(key)
    need(key[0] == 1 and sha256(name.encode() + b"\n" + key)[:4].hex() == key_id, "the key does not match its id")
    text, lines = data.decode().rsplit("\n\n", 1)
    need(lines.endswith("\n") and (not only or lines.count("\n") == 1), "other signature lines")
    signed = False
    for line in lines[:-1].split("\n"):
        found = re.fullmatch("\u2014 ([^ +]+) ([A-Za-z0-9+/=]+)", line)
        need(found, "a malformed signature line")
        payload = unbase64(found[2])
        if (found[1], payload[:4].hex()) == (name, key_id):
            Ed25519PublicKey.from_public_bytes(key[1:]).verify(payload[4:], text.encode() + b"\n")
            signed = True
    need(signed, "no signature by the key")
    return text + "\n"
def checkpoint(data, vkey):
    origin, size, root, end = note_text(data, vkey).split("\n")
    need(not end and origin == vkey.split("+")[0] and str(int(size)) == size, "not a checkpoint of the log")
    return int(size), unbase64(root)
def climb(at, last, path, values):
    """Joins each value with the siblings on a path (RFC 9162 2.1.3.2 and 2.1.4.2); the second value has them all."""
    for sibling in path:
        need(last > 0, "a path that is too long")
        if at & 1 or at == last:
            values = [sha256(b"\1" + sibling + value) for value in values]
            while not at & 1 and at: at, last = at >> 1, last >> 1
        else: values[-1] = sha256(b"\1" + values[-1] + sibling)
        at, last = at >> 1, last >> 1
    need(last == 0, "a path that is too short")
    return values
def consistency(found, old, new):
    """Whether a proof leads from the size and root of one checkpoint to those of another."""
    path = [bytes.fromhex(h) for h in found["path"]]
    need((found["old"], found["new"]) == (old[0], new[0]) and old[0] <= new[0], "a proof for other sizes")
    if old[0] in (0, new[0]): return need(not path and old[1] == (new[1] if old[0] else sha256(b"")), "another root")
    if old[0] & (old[0] - 1) == 0: path = [old[1]] + path
    at, last = old[0] - 1, new[0] - 1
    while at & 1: at, last = at >> 1, last >> 1
    need(climb(at, last, path[1:], [path[0], path[0]]) == [old[1], new[1]], "the log was rewritten")
def proof(data, record, vkey):
    """The index and the checkpoint of a tlog-proof, which must lead from the record to the root."""
    head, note = data.split(b"\n\n", 1)
    lines, (size, root) = head.decode().split("\n"), checkpoint(note, vkey)
    need(lines[0] == "c2sp.org/tlog-proof@v1" and re.fullmatch("index (0|[1-9][0-9]*)", lines[1]), "not a proof")
    index = int(lines[1][6:])
    need(index < size and climb(index, size - 1, map(unbase64, lines[2:]), [sha256(b"\0" + record)]) == [root], "another root")
    return index, note
def chain(certificates, seconds, roots):
    """The leaf's key and the root's SHA-256, if the chain leads to a trusted root at an instant and has Apple's marks."""
    leaf, issuer, last = map(x509.load_der_x509_certificate, certificates)
    for certificate, mark in ((leaf, LEAF_MARK), (issuer, ISSUER_MARK)):
        need(any(e.oid.dotted_string == mark for e in certificate.extensions), "a certificate without Apple's mark")
    trusted = [last] if last.fingerprint(hashes.SHA256()).hex() in APPLE else [r for r in roots if r.subject == issuer.issuer]
    need(trusted, "no trusted root")
    leaf.verify_directly_issued_by(issuer)
    issuer.verify_directly_issued_by(trusted[0])
    at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    need(all(c.not_valid_before_utc <= at <= c.not_valid_after_utc for c in (leaf, issuer, trusted[0])), "not valid then")
    return leaf.public_key(), trusted[0].fingerprint(hashes.SHA256())
def jws(text, roots):
    """Checks a JWS and those in it. Returns its certificates and theirs, and the SHA-256 of its root."""
    header, payload, signature = text.split(".")
    head, claims, signature = json.loads(unbase64(header, True)), json.loads(unbase64(payload, True)), unbase64(signature, True)
    need(head["alg"] == "ES256" and len(signature) == 64 and len(head["x5c"]) == 3, "another kind of JWS")
    certificates = [unbase64(c) for c in head["x5c"]]
    key, root = chain(certificates, claims.get("signedDate", claims.get("receiptCreationDate")) // 1000, roots)
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    key.verify(utils.encode_dss_signature(r, s), f"{header}.{payload}".encode(), ec.ECDSA(hashes.SHA256()))
    parts = [(claims.get(part) or {}).get(name) for part, name in NESTED]
    return sum((jws(part, roots)[0] for part in parts if part), certificates), root

def event(files, row, log_key, roots):
    """Checks 3 to 5 of one event. Returns the certificates of its signatures."""
    at, record = row["position"], files[f"records/{row['position']}.bin"]
    index, note = proof(files[f"proofs/{at}.tlog-proof"], record, log_key)
    need(index == at == int.from_bytes(record[8:16], "little") and note == files["checkpoint"], "another position or checkpoint")
    if row["state"] == "withheld":
        return sum((jws(files[n].decode(), roots)[0] for n in files if re.fullmatch(rf"evidence/{at}-\d+\.jws", n)), [])
    need((row["state"] == "none") == (record[40:76] == bytes(36)), "missing evidence")
    if row["state"] != "present": return []
    evidence = files[row["evidence"]]
    need((sha256(evidence), len(evidence)) == (record[40:72], int.from_bytes(record[72:76], "little")), "other evidence")
    if not 1 <= record[4] <= 4: return []
    certificates, root = jws(evidence.decode(), roots)
    need((sha256(certificates[0]), root) == (record[88:120], record[120:152]), "other certificates than the record's")
    return certificates

def bundle(files, log_key, bundle_key, roots=()):
    """Checks the files of a bundle, by name. Returns the number of its events."""
    sums = "".join(f"{sha256(files[n]).hex()}  {n}\n" for n in sorted(files) if not n.startswith("SHA256SUMS")).encode()
    need(files["SHA256SUMS"] == sums and len([n for n in files if n.startswith("SHA256SUMS")]) == 2, "other files than SHA256SUMS")
    text = f"{bundle_key.split('+')[0]}\n{sha256(sums).hex()}\n"
    need(note_text(files["SHA256SUMS.note"], bundle_key, only=True) == text, "another note")
    head, rows = checkpoint(files["checkpoint"], log_key), [json.loads(line) for line in files["index.ndjson"].splitlines()]
    known = {n for n in files if re.match("(SHA256SUMS|answer/|anchors/|README.md$|bundle.json$|checkpoint$|index.ndjson$)", n)}
    for row in rows:
        known |= {n for n in files if re.fullmatch(rf"(records|proofs|evidence)/{row['position']}[.-][a-z0-9.-]+", n)}
        for der in event(files, row, log_key, roots):
            pem = x509.load_der_x509_certificate(der).public_bytes(serialization.Encoding.PEM)
            need(files[f"certificates/{sha256(der).hex()}.pem"] == pem, "another certificate")
    need(all(n.startswith("certificates/") for n in set(files) - known), "files of no event")
    for n in (n for n in files if n.endswith(".consistency")):
        consistency(json.loads(files[n]), checkpoint(files[n.split("-")[0] + ".checkpoint"], log_key), head)
    return len(rows)

def main(command, *arguments):
    read = lambda path: pathlib.Path(path).read_bytes()
    if command == "bundle":
        files = {p.relative_to(arguments[0]).as_posix(): p.read_bytes() for p in pathlib.Path(arguments[0]).rglob("*") if p.is_file()}
        print(bundle(files, *arguments[1:3], [x509.load_der_x509_certificate(read(p)) for p in arguments[3:]]), "events")
    elif command == "checkpoint": print(checkpoint(read(arguments[0]), arguments[1])[0], "events")
    elif command == "inclusion": print("event", proof(read(arguments[0]), read(arguments[1]), arguments[2])[0])
    else: consistency(json.loads(read(arguments[0])), *(checkpoint(read(p), arguments[3]) for p in arguments[1:3]))

if __name__ == "__main__":
    try: main(*sys.argv[1:])
    except (Bad, InvalidSignature, *MALFORMED) as error: sys.exit(f"refused: {error!r}")

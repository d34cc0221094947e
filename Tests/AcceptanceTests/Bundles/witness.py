"""Cosigns a checkpoint: witness.py CHECKPOINT COSIGNED NAME SEED_BYTE TIME. Prints the witness's public key."""
import base64, hashlib, pathlib, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

source, target, name, seed, time = sys.argv[1:]
key = Ed25519PrivateKey.from_private_bytes(bytes([int(seed)]) * 32)
public = b"\x04" + key.public_key().public_bytes_raw()
key_id = hashlib.sha256(name.encode() + b"\n" + public).digest()[:4]
note = pathlib.Path(source).read_bytes()
text = note.rsplit(b"\n\n", 1)[0] + b"\n"
signature = key.sign(f"cosignature/v1\ntime {time}\n".encode() + text)
line = base64.b64encode(key_id + int(time).to_bytes(8, "big") + signature).decode()
pathlib.Path(target).write_bytes(note + f"\u2014 {name} {line}\n".encode())
print(f"{name}+{key_id.hex()}+{base64.b64encode(public).decode()}")

"""Writes ZIP files in the form of bundles with Python's own library, and bundles with other contents.

  bundle_zip.py BUNDLE OUTPUT BUNDLE_KEY KEY_FILE NAME OLD NEW ...

replaces texts in files of a bundle and signs the sums again, as a dishonest operator could."""
import base64, hashlib, io, pathlib, sys, zipfile


def packed(entries, method=zipfile.ZIP_STORED, comment=b"", extra=b"", date=(1980, 1, 1, 0, 0, 0)):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, content in entries:
            info = zipfile.ZipInfo(name, date)
            info.extra, info.compress_type = extra, method
            info.create_system, info.create_version, info.extract_version, info.external_attr = 0, 10, 10, 0
            z.writestr(info, content)
            info.external_attr = 0
        z.comment = comment
    return out.getvalue()


def unpacked(path):
    with zipfile.ZipFile(path) as z:
        return {info.filename: z.read(info) for info in z.infolist()}


def resigned(files, bundle_key, key_file):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    names = sorted(n for n in files if not n.startswith("SHA256SUMS"))
    sums = "".join(f"{hashlib.sha256(files[n]).hexdigest()}  {n}\n" for n in names).encode()
    name, key_id, _ = bundle_key.split("+", 2)
    text = f"{name}\n{hashlib.sha256(sums).hexdigest()}\n"
    secret = base64.b64decode(pathlib.Path(key_file).read_text().split("+", 4)[4].strip())
    signature = Ed25519PrivateKey.from_private_bytes(secret[1:]).sign(text.encode())
    line = base64.b64encode(bytes.fromhex(key_id) + signature).decode()
    return files | {"SHA256SUMS": sums, "SHA256SUMS.note": f"{text}\n\u2014 {name} {line}\n".encode()}


if __name__ == "__main__":
    bundle, output, bundle_key, key_file, *changes = sys.argv[1:]
    files = unpacked(bundle)
    for name, old, new in zip(changes[::3], changes[1::3], changes[2::3]):
        if new == "REMOVED":
            del files[name]
            continue
        assert old.encode() in files[name], f"{old} is not in {name}"
        files[name] = files[name].replace(old.encode(), new.encode(), 1)
    pathlib.Path(output).write_bytes(packed(sorted(resigned(files, bundle_key, key_file).items())))

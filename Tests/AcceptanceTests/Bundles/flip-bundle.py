"""Tries check-bundle.py with altered bundles, in one process.

  flip-bundle.py FOLDER LOG_KEY BUNDLE_KEY SEED FLIPS KEYFILE FORGERIES [ROOT.der ...]

Flips a random bit of a random file FLIPS times. Then, FORGERIES times, flips a bit of a file that others vouch for and
signs the sums again with the bundle key, as an operator could; and a bit of a JWS, which is checked by itself."""
import base64, importlib.util, pathlib, random, sys
sys.dont_write_bytecode = True
import bundle_zip
from cryptography import x509
from cryptography.exceptions import InvalidSignature

folder, log_key, bundle_key, seed, flips, key_file, forgeries = sys.argv[1:8]
spec = importlib.util.spec_from_file_location("check", pathlib.Path(__file__).with_name("check-bundle.py"))
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)
roots = [x509.load_der_x509_certificate(pathlib.Path(p).read_bytes()) for p in sys.argv[8:]]
files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in pathlib.Path(folder).rglob("*") if p.is_file()}
generator = random.Random(int(seed))


def flipped(data):
    place = generator.randrange(len(data) * 8)
    return data[: place // 8] + bytes([data[place // 8] ^ 1 << place % 8]) + data[place // 8 + 1 :]


def is_refused(files):
    try:
        check.bundle(files, log_key, bundle_key, roots)
    except (check.Bad, InvalidSignature, *check.MALFORMED):
        return True
    return False


def resigned(files):
    return bundle_zip.resigned(files, bundle_key, key_file)


assert not is_refused(files) and not is_refused(resigned(files)), "the bundle itself is refused"
names = sorted(n for n in files if files[n])
for number in range(int(flips)):
    name = generator.choice(names)
    assert is_refused(files | {name: flipped(files[name])}), f"seed {seed}, flip {number}: {name} is accepted"
vouched = [n for n in names if n.split("/")[0] in ("records", "proofs", "evidence", "certificates", "checkpoint")]
for number in range(int(forgeries)):
    name = generator.choice(vouched)
    forged = resigned(files | {name: flipped(files[name])})
    assert is_refused(forged), f"seed {seed}, forgery {number}: {name} is accepted"
assert is_refused(resigned(files | {"evidence/stray.txt": b"?"})), "a stray file is accepted"
assert is_refused(files | {"stray.txt": b"?"}), "a file without a sum is accepted"
tried = 0
for name in [n for n in names if n.endswith(".jws")][: int(forgeries) // 4]:
    try:
        check.jws(flipped(files[name]).decode("latin-1"), roots)
    except (check.Bad, InvalidSignature, *check.MALFORMED):
        tried += 1
        continue
    raise AssertionError(f"seed {seed}: a flipped {name} is accepted")
alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
for name in [n for n in names if n.endswith(".jws")]:
    text = files[name].decode()
    # The last four bits of the last character belong to no byte of the signature, and Python ignores them.
    stray = text[:-1] + alphabet[alphabet.index(text[-1]) ^ 1]
    assert base64.urlsafe_b64decode(stray.split(".")[2] + "==") == base64.urlsafe_b64decode(text.split(".")[2] + "==")
    try:
        check.jws(stray, roots)
    except check.Bad:
        continue
    raise AssertionError(f"stray bits in {name} are accepted")
print(f"seed {seed}: {flips} flips, {forgeries} forgeries and {tried} JWS refused")

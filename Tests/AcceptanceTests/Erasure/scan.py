"""Finds byte strings in every file of a folder: as they are, in base64 at any alignment, and inside deflated evidence, also
in pages that an LMDB file no longer uses.

    scan.py FOLDER DICTIONARY NAME=HEX...

DICTIONARY is the file with the preset dictionary of packed evidence. Prints a line `NAME FORM FILE` for each finding; FORM is
`raw`, `base64`, `inflated` or `inflated-base64`. `TEXT` in place of HEX after `NAME=text:` is searched in both cases.
"""

import base64
import os
import re
import sys
import zlib


def alignments(needle):
    """The base64 of a needle wherever it begins in a group of three bytes, without the characters that others share."""
    found = set()
    for shift in range(3):
        padded = bytes(shift) + needle
        end = len(padded) - len(padded) % 3
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = encode(padded[:end])
            found.add(text[4 if shift else 0 :])
    return found


def packed(data):
    """Yields what inflates wherever packed evidence may begin (EvidencePacker): version, dictionary, count of parts."""
    for match in re.finditer(rb"(?=[\x01\x02]\x01[\x00-\x40])", data):
        start = match.start()
        (head, outer) = (3, 1) if data[start] == 1 else (7, 0)
        body = start + head + (outer + data[start + 2]) * 74
        if body >= len(data):
            continue
        try:
            yield zlib.decompressobj(-15, zdict=dictionary).decompress(data[body : body + 65536], 1 << 20)
        except zlib.error:
            continue


folder = sys.argv[1]
with open(sys.argv[2], "rb") as file:
    dictionary = file.read()
needles = []
for argument in sys.argv[3:]:
    name, text = argument.split("=", 1)
    if text.startswith("text:"):
        needles += [(name, text[5:].lower().encode()), (name, text[5:].upper().encode())]
    else:
        needles.append((name, bytes.fromhex(text)))
encoded = [(name, text) for name, needle in needles for text in alignments(needle)]

findings = set()
inflations = 0
for path, _, files in os.walk(folder):
    for name in files:
        place = os.path.join(path, name)
        if not os.path.isfile(place):
            continue
        with open(place, "rb") as file:
            data = file.read()
        for texts, prefix in [([data], ""), (packed(data), "inflated-")]:
            for text in texts:
                inflations += prefix != ""
                for needle, bytes_ in needles:
                    if bytes_ in text:
                        findings.add((needle, prefix.rstrip("-") or "raw", os.path.relpath(place, folder)))
                for needle, bytes_ in encoded:
                    if bytes_ in text:
                        findings.add((needle, prefix + "base64", os.path.relpath(place, folder)))
for finding in sorted(findings):
    print(*finding)
print("inflated", inflations, "-")

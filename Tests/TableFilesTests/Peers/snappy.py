"""Decompresses blocks with Arrow's codec: snappy.py FILE

FILE has pairs of an input and its compressed form, each after its length (u32)."""

import struct
import sys

import pyarrow

codec = pyarrow.Codec("snappy")
blocks = open(sys.argv[1], "rb").read()
offset = pairs = raw = stored = 0


def block():
    global offset
    (length,) = struct.unpack_from("<I", blocks, offset)
    offset += 4 + length
    return blocks[offset - length : offset]


while offset < len(blocks):
    plain, compressed = block(), block()
    found = codec.decompress(compressed, decompressed_size=len(plain), asbytes=True)
    assert found == plain, f"pair {pairs} differs"
    pairs, raw, stored = pairs + 1, raw + len(plain), stored + len(compressed)
print(pairs, raw, stored)

"""Writes variants of a bundle that no bundle may be: hostile-zip.py BUNDLE FOLDER. Prints their names."""
import pathlib, struct, sys, warnings, zipfile
sys.dont_write_bytecode = True
from bundle_zip import packed, unpacked

source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir(exist_ok=True)
data = source.read_bytes()
files = unpacked(source)


def write(name, content):
    (folder / name).write_bytes(content)
    print(name)


def patched(place, format, *values):
    changed = bytearray(data)
    struct.pack_into(format, changed, place % len(data), *values)
    return bytes(changed)


end = len(data) - 22
count, size, start = struct.unpack_from("<HII", data, end + 10)
entries = sorted(files.items())
assert packed(entries) == data, "Python writes another form"
write("empty", b"")
write("short", data[:21])
write("cut", data[:-1])
write("longer", data + b"\0")
write("before", b"\0" + data)
write("text", b"not a bundle, but long enough to have the size of the end of a directory")
write("comment", packed(entries, comment=b"hello"))
write("deflated", packed(entries, zipfile.ZIP_DEFLATED))
write("extra", packed(entries, extra=b"\x99\x99\x04\0abcd"))
write("dated", packed(entries, date=(2026, 1, 1, 0, 0, 0)))
write("unordered", packed(list(reversed(entries))))
write("slip", packed(entries + [("zz/../../evil", b"!")]))
write("slip-first", packed([("../evil", b"!")] + entries))
write("absolute", packed([("/etc/evil", b"!")] + entries))
write("folder", packed(entries + [("zz/", b"")]))
write("non-ascii", packed(entries + [("z\u00e9", b"")]))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    write("repeated", packed(sorted(entries + [("checkpoint", b"other")])))
write("directory-beyond", patched(end + 16, "<I", 0xFFFFFFF0))
write("directory-huge", patched(end + 12, "<I", 0xFFFFFFFF))
write("count-zero", patched(end + 8, "<HH", 0, 0))
write("count-huge", patched(end + 8, "<HH", 0xFFFF, 0xFFFF))
write("entry-huge", patched(start + 20, "<II", 0xFFFFFFFF, 0xFFFFFFFF))
write("entry-large", patched(start + 20, "<II", 80 << 20, 80 << 20))
second = start + 46 + struct.unpack_from("<H", data, start + 28)[0]
write("overlap", patched(second + 42, "<I", 0))
write("name-huge", patched(start + 28, "<H", 0xFFFF))
write("encrypted", patched(start + 8, "<H", 1))
write("local-other", patched(26, "<H", 3))
write("zip64", patched(end + 4, "<HHHHII", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF))

#!/usr/bin/env python3
"""Folds exported facts into the tables of states on a Spark cluster.

    spark-submit --master URL Tools/spark/fold.py FACTS --to FOLDER

FACTS is the folder of an export of `subledger export facts`, and FOLDER gets the folder of an export that has the same
bytes as `subledger export` of the tables of the same coordinates. The driver and all workers see both under the same
path, such as a network file system. Each task runs subledger-fold, which comes with the job, on one segment; Spark
adds the sums of all segments and sorts the rows.
"""

import argparse
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone

from pyspark import SparkFiles, StorageLevel
from pyspark.sql import SparkSession

# Frames: length u32, digest i64, kind u8, body; see Sources/FactSegments/Frame.swift.
FRAME = struct.Struct("<IqB")
SUM, ROW, TALLY, END = b"S"[0], b"R"[0], b"T"[0], b"E"[0]
LIMITS = (-(2**63), 2**63 - 1)
# The rows of one file, as in Sources/Exports/TableOutput.swift.
FILE_ROWS = 1 << 20


def frames(stream):
    """Yields the kind and the body of each frame, and fails where the last one is missing."""
    while head := stream.read(FRAME.size):
        length, _, kind = FRAME.unpack(head)
        body = stream.read(length - 9)
        if kind == END:
            return
        yield kind, body
    raise RuntimeError("subledger-fold ended too early")


def frame(kind, body):
    digest = hashlib.sha256(bytes([kind]) + body).digest()[:8]
    return struct.pack("<I", 9 + len(body)) + digest + bytes([kind]) + body, int.from_bytes(digest, "little", signed=True)


def run_fold(binary, segment):
    """Yields the frames that subledger-fold answers to a file of frames."""
    with tempfile.TemporaryFile() as errors:
        command = [SparkFiles.get(binary), SparkFiles.get("inputs.json")]
        with subprocess.Popen(command, stdin=segment, stdout=subprocess.PIPE, stderr=errors) as fold:
            failure = None
            try:
                for kind, body in frames(fold.stdout):
                    table, rest = (None, body) if kind == TALLY else (body[0], body[1:])
                    if kind == TALLY:
                        yield kind, None, None, json.loads(body)
                    else:
                        (length,) = struct.unpack_from("<I", rest)
                        yield kind, table, rest[4 : 4 + length], rest[4 + length :]
            except RuntimeError as error:
                failure = error
        if fold.returncode or failure:
            errors.seek(0)
            raise RuntimeError(errors.read().decode().strip() or str(failure))


def fold_segment(binary, path):
    with open(path, "rb") as segment:
        yield from run_fold(binary, segment)


def fold_sums(binary, sums):
    """Yields the rows of the sums of whole tables."""
    with tempfile.TemporaryFile() as segment:
        count, digests = 0, 0
        for (table, key), numbers in sorted(sums):
            body = struct.pack("<BI", table, len(key)) + key + struct.pack(f"<{len(numbers)}q", *map(clamp, numbers))
            data, digest = frame(SUM, body)
            segment.write(data)
            count, digests = count + 1, digests + digest
        if count == 0:
            return
        segment.write(frame(END, struct.pack("<q", count) + digests.to_bytes(16, "little", signed=True))[0])
        segment.seek(0)
        yield from run_fold(binary, segment)


def clamp(number):
    return min(max(number, LIMITS[0]), LIMITS[1])


def numbers(body):
    return struct.unpack(f"<{len(body) // 8}q", body)


def add(left, right):
    return tuple(a + b for a, b in zip(left, right, strict=True))


def write_piece(folder, part, rows):
    """Writes the rows of each table in a part of the order to a file of its own, each after its length."""
    piece, table = None, None
    for (number, _), line in rows:
        if number != table:
            if piece:
                close(piece)
            table, piece = number, open_piece(f"{folder}/{number}-{part:06d}")
        piece.write(struct.pack("<I", len(line)) + line)
    if piece:
        close(piece)
    yield part


def open_piece(path):
    # Another attempt of the same task may write at the same time.
    return tempfile.NamedTemporaryFile(dir=os.path.dirname(path), prefix=os.path.basename(path) + ".", delete=False)


def close(piece):
    piece.flush()
    os.fsync(piece.fileno())
    piece.close()
    os.replace(piece.name, piece.name.rsplit(".", 1)[0])


class TableFiles:
    """The numbered files of a table, as `subledger export` writes them."""

    def __init__(self, folder, table, header, extension):
        self.folder, self.table, self.header, self.extension = folder, table, header, extension
        self.files, self.rows, self.open = [], 0, None
        os.makedirs(f"{folder}/{table}", exist_ok=True)

    def append(self, line):
        if self.open and self.rows == FILE_ROWS:
            self.close()
        if not self.open:
            self.begin()
        self.write(line)
        self.rows += 1

    def begin(self):
        self.path = f"{self.table}/part-{len(self.files):05d}.{self.extension}"
        self.open = open(f"{self.folder}/{self.path}.partial", "wb")
        self.hash, self.bytes, self.rows = hashlib.sha256(), 0, 0
        self.write(self.header)

    def write(self, data):
        self.open.write(data)
        self.hash.update(data)
        self.bytes += len(data)

    def close(self):
        finish(self.open, f"{self.folder}/{self.path}")
        self.open = None
        self.files.append(
            {"path": self.path, "kind": "part", "rows": self.rows, "bytes": self.bytes, "sha256": self.hash.hexdigest()}
        )

    def finish(self):
        if not self.files and not self.open:
            self.begin()
        if self.open:
            self.close()
        return self.files


def finish(file, path):
    file.flush()
    os.fsync(file.fileno())
    file.close()
    os.replace(file.name, path)


def store(path, data):
    with open(path + ".partial", "wb") as file:
        file.write(data)
        finish(file, path)


def canonical(value):
    """RFC 8785, for values without fractions and with ASCII names."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def folder_name(plan):
    as_of = datetime.strptime(plan["asOf"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    milliseconds = (as_of - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1)
    return f"e-{plan['range']['to']:012d}-{milliseconds:013d}-{hashlib.sha256(canonical(plan)).hexdigest()[:8]}"


def tallies(found):
    """Adds the tallies of all tasks by table. Each names the table's columns."""
    tables = {}
    for tally in found:
        total = tables.setdefault(tally["table"], {**tally, "rows": 0, "digestSum": 0, "lossy": 0})
        total["rows"] += tally["rows"]
        total["digestSum"] += int(tally["digestSum"])
        total["lossy"] += tally["lossy"]
    return tables


def manifest_of(table, files):
    return {
        "name": table["name"], "schemaVersion": table["schemaVersion"], "mode": "full", "key": table["key"],
        "upserts": table["rows"], "deletes": 0, "restated": 0, "lossy": table["lossy"],
        "after": {"rows": table["rows"], "digestSum": str(table["digestSum"])}, "files": files,
    }  # fmt: skip


def write_table(folder, work, number, table, extension):
    """Joins the sorted pieces of a table."""
    output = TableFiles(folder, table["name"], table["header"].encode(), extension)
    count = 0
    for name in sorted(name for name in os.listdir(work) if name.startswith(f"{number}-") and "." not in name):
        with open(f"{work}/{name}", "rb") as piece:
            while head := piece.read(4):
                output.append(piece.read(int.from_bytes(head, "little")))
                count += 1
    if count != table["rows"]:
        raise RuntimeError(f"{table['name']} has {count} rows in place of {table['rows']}")
    return output.finish()


def sorted_pieces(context, binary, segments, work):
    """Folds all segments, and writes their rows in order. Returns the tallies."""
    folded = context.parallelize(segments, len(segments)).flatMap(lambda path: fold_segment(binary, path))
    folded.persist(StorageLevel.MEMORY_AND_DISK)
    sums = (
        folded.filter(lambda record: record[0] == SUM)
        .map(lambda record: ((record[1], record[2]), numbers(record[3])))
        .reduceByKey(add)
    )
    # The rows of a table of sums come from all of its sums.
    by_table = sums.partitionBy(min(len(segments), 16), lambda key: key[0])
    summed = by_table.mapPartitions(lambda part: fold_sums(binary, part)).persist(StorageLevel.MEMORY_AND_DISK)
    answers = folded.union(summed)
    rows = answers.filter(lambda record: record[0] == ROW).map(lambda record: ((record[1], record[2]), record[3]))
    rows.sortByKey(numPartitions=len(segments)).mapPartitionsWithIndex(
        lambda part, rows: write_piece(work, part, rows)
    ).count()
    found = answers.filter(lambda record: record[0] == TALLY).map(lambda record: record[3]).collect()
    folded.unpersist()
    summed.unpersist()
    return tallies(found)


def fold(spark, facts, destination, binary):
    """Folds an export of facts. Returns the path of the manifest."""
    with open(f"{facts}/manifest.json", "rb") as file:
        manifest = json.load(file)
    if manifest.get("partitions") is None:
        raise SystemExit(f"{facts} is no export of facts; see `subledger export --help`")
    with open(f"{facts}/plan.json", "rb") as file:
        plan = {name: value for name, value in json.load(file).items() if name != "partitions"}
    folder = f"{destination}/{folder_name(plan)}"
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(f"{folder}/manifest.json"):
        return f"{folder}/manifest.json"
    store(f"{folder}/plan.json", canonical(plan))
    if os.path.exists(f"{facts}/checkpoint"):
        with open(f"{facts}/checkpoint", "rb") as file:
            store(f"{folder}/checkpoint", file.read())
    context = spark.sparkContext
    # The functions of this file, for a program that imports it.
    context.addPyFile(os.path.abspath(__file__))
    context.addFile(binary)
    context.addFile(f"{facts}/inputs.json")
    files = next(table["files"] for table in manifest["tables"] if table["name"] == "facts")
    segments = [os.path.abspath(f"{facts}/{file['path']}") for file in files]
    with tempfile.TemporaryDirectory(dir=destination, prefix=".fold-") as work:
        os.chmod(work, 0o777)
        found = sorted_pieces(context, os.path.basename(binary), segments, os.path.abspath(work))
        tables = [
            manifest_of(table, write_table(folder, work, number, table, plan["format"]))
            for number, table in sorted(found.items(), key=lambda item: item[1]["name"])
        ]
    members = {name: value for name, value in manifest.items() if name not in ("partitions", "tables")}
    store(f"{folder}/manifest.json", canonical({**members, "tables": tables}))
    return f"{folder}/manifest.json"


def main():
    parser = argparse.ArgumentParser(
        description="Fold exported facts on a Spark cluster.",
        epilog="example: spark-submit --master spark://host:7077 Tools/spark/fold.py facts/e-… --to tables",
    )
    parser.add_argument("facts", help="folder of an export of `subledger export facts`")
    parser.add_argument("--to", required=True, help="folder in which the tables get a folder of their own")
    parser.add_argument("--fold", default=".build/release/subledger-fold", help="subledger-fold (default: %(default)s)")
    arguments = parser.parse_args()
    os.makedirs(arguments.to, exist_ok=True)
    spark = SparkSession.builder.appName("subledger-fold").getOrCreate()
    try:
        print(fold(spark, arguments.facts.rstrip("/"), arguments.to.rstrip("/"), arguments.fold))
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())

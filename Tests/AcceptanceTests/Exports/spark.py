"""Folds exported facts on a Spark cluster of two processes, and reads exported Parquet files back with Spark.

    spark.py FOLD_PY SUBLEDGER_FOLD JSON

JSON is {"folds":[{"facts","tables"}],"parquet":FOLDER,"csv":FOLDER,"columns":{TABLE:[[NAME, TYPE, IS_NULLABLE]…]}} with
the folders of exports of the same coordinates. The output has a line for each step, and ends with `equal`; otherwise the
errors say what differs.
"""

import csv
import hashlib
import importlib.util
import io
import json
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timezone
from decimal import Decimal

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

TYPES = {
    "text": "string", "json": "string", "hex": "string", "int64": "bigint", "int32": "int", "boolean": "boolean",
    "instant": "timestamp", "date": "date", "money": "decimal(18,3)", "rate": "decimal(18,9)",
}  # fmt: skip
TAIL = [["row_digest", "int64", False], ["op", "text", False], ["restated", "boolean", False]]


def require(condition, *words):
    if not condition:
        raise SystemExit(" ".join(str(word) for word in words))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def check_fold(spark, fold, binary, facts, expected):
    """Requires that the fold gives every byte of the export."""
    with tempfile.TemporaryDirectory() as folder:
        manifest = fold.fold(spark, facts, folder, binary)
        made = os.path.dirname(manifest)
        require(os.path.basename(made) == os.path.basename(expected), "another name:", made, "for", expected)
        tables = json.loads(read(f"{expected}/manifest.json"))["tables"]
        for file in (file for table in tables for file in table["files"]):
            digest = hashlib.sha256(read(f"{made}/{file['path']}")).hexdigest()
            require(digest == file["sha256"], file["path"], "differs from that of", expected)
        for name in ("plan.json", "manifest.json"):
            require(read(f"{made}/{name}") == read(f"{expected}/{name}"), name, "differs from that of", expected)
        require(sorted(os.listdir(folder)) == [os.path.basename(made)], "the fold leaves files")


def value_of(text, kind):
    """The value of a cell of a CSV file; None for null."""
    if text == "":
        return None
    if kind in ("int64", "int32"):
        return int(text)
    if kind == "boolean":
        return {"true": 1, "false": 0}[text]
    if kind == "instant":
        instant = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
        seconds = int((instant - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds())
        return seconds * 1000 + instant.microsecond // 1000
    if kind == "date":
        return date.fromisoformat(text)
    if kind in ("money", "rate"):
        return Decimal(text)
    return text.encode()


def comparable(column, kind):
    """The column in the form of `value_of`."""
    if kind == "boolean":
        return column.cast("int")
    if kind == "instant":
        return F.unix_millis(column)
    if kind in ("text", "json", "hex"):
        return column.cast("binary")
    return column


def csv_columns(folder, table):
    rows = list(csv.reader(io.StringIO("".join(read(f"{folder}/{f['path']}").decode() for f in table["files"]), "")))
    return dict(zip(rows[0], zip(*rows[1:]))) if len(rows) > 1 else {name: () for name in rows[0]}


def check_table(spark, folder, table, csv_folder, csv_table, columns):
    """Requires that a table has the types, rows, digests, nulls and bounds that its manifest and its CSV file state."""
    name, columns = table["name"], columns + TAIL
    frame = spark.read.parquet(*(f"{folder}/{file['path']}" for file in table["files"]))
    found = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
    require(found == [(column, TYPES[kind]) for column, kind, _ in columns], name, "has other types:", found)
    sums = [F.count("*"), F.sum(F.col("row_digest").cast("decimal(38,0)"))]
    for column, kind, _ in columns:
        value = comparable(F.col(column), kind)
        sums += [F.count(column), F.min(value), F.max(value)]
    answer = frame.agg(*(value.alias(str(number)) for number, value in enumerate(sums))).collect()[0]
    print("read", name, flush=True)
    require(answer[0] == table["after"]["rows"], name, "has", answer[0], "rows")
    require(int(answer[1] or 0) == int(table["after"]["digestSum"]), name, "has another sum of digests")
    texts = csv_columns(csv_folder, csv_table)
    for number, (column, kind, nullable) in enumerate(columns):
        values = [value for value in (value_of(text, kind) for text in texts[column]) if value is not None]
        expected = (len(values), min(values, default=None), max(values, default=None))
        actual = tuple(bytes(v) if isinstance(v, bytearray) else v for v in answer[2 + 3 * number : 5 + 3 * number])
        require(actual == expected, f"{name}.{column} is {actual} in place of {expected}")
        require(nullable or len(values) == table["after"]["rows"], f"{name}.{column} has nulls")


def check_parquet(spark, folder, csv_folder, columns):
    tables = json.loads(read(f"{folder}/manifest.json"))["tables"]
    texts = {table["name"]: table for table in json.loads(read(f"{csv_folder}/manifest.json"))["tables"]}
    with ThreadPoolExecutor(4) as pool:
        checks = [
            pool.submit(check_table, spark, folder, t, csv_folder, texts[t["name"]], columns[t["name"]]) for t in tables
        ]
        for check in checks:
            check.result()
    require(sum(table["after"]["rows"] for table in tables) > 1000, "the tables are nearly empty")


def main(script, binary, question):
    question = json.loads(question)
    spec = importlib.util.spec_from_file_location("fold", script)
    fold = importlib.util.module_from_spec(spec)
    sys.modules["fold"] = fold
    spec.loader.exec_module(fold)
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.showConsoleProgress", "false")
        # To compile the queries takes longer than to answer them.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")
        .getOrCreate()
    )
    print("started", flush=True)
    try:
        for case in question["folds"]:
            check_fold(spark, fold, binary, case["facts"], case["tables"])
            print("folded", flush=True)
        check_parquet(spark, question["parquet"], question["csv"], question["columns"])
    finally:
        spark.stop()
    print("equal")


if __name__ == "__main__":
    main(*sys.argv[1:])

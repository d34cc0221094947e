#!/usr/bin/env python3
"""Loads exports of a ledger into a DuckDB database, one after the other.

load.py --database warehouse.duckdb exports/e-*/manifest.json

An export is loaded in one transaction, and once. One that continues an earlier export must follow it directly. After
the load, each table has the rows and the digests that the manifest states. Needs the package duckdb: pip install duckdb
"""

import argparse
import hashlib
import json
import pathlib
import sys

import duckdb

SCHEMA = 2
LOADS = """
    create table if not exists load (
        seq bigint primary key, manifest_sha256 text unique, base_sha256 text unique, range_from bigint, range_to bigint,
        as_of timestamptz, rules_digest text, loaded_at timestamptz)"""


class LoadRefused(Exception):
    pass


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(path: pathlib.Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


class Loader:
    def __init__(self, database: str, schema: str):
        self.connection = duckdb.connect(database)
        self.connection.execute(f"create schema if not exists {quoted(schema)}; use {quoted(schema)}")
        self.connection.execute(LOADS)

    def load(self, path: pathlib.Path) -> bool:
        """Returns false for a manifest that was loaded before."""
        data = path.read_bytes()
        name, manifest = hashlib.sha256(data).hexdigest(), json.loads(data)
        if manifest["schema"] != SCHEMA:
            raise LoadRefused(f"{path} has the unknown schema {manifest['schema']}")
        if manifest["format"] != "parquet":
            raise LoadRefused(f"{path} is not an export as Parquet")
        self.connection.begin()
        try:
            loads = self.connection.execute("select manifest_sha256 from load order by seq").fetchall()
            is_new = (name,) not in loads
            if is_new:
                self.check_base(path, manifest["base"], loads)
                for table in manifest["tables"]:
                    self.load_table(path.parent, table)
                self.note(name, manifest)
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise
        return is_new

    @staticmethod
    def check_base(path: pathlib.Path, base: dict | None, loads: list[tuple]):
        if base is not None and (not loads or loads[-1] != (base["manifestSha256"],)):
            raise LoadRefused(f"export_gap: {path} does not continue the newest load. Load what is between, or a full export.")

    def load_table(self, folder: pathlib.Path, table: dict):
        name, key = quoted(table["name"]), table["key"]
        files = {"part": [], "deleted": []}
        for file in table["files"]:
            content = (folder / file["path"]).read_bytes()
            if hashlib.sha256(content).hexdigest() != file["sha256"]:
                raise LoadRefused(f"{folder / file['path']} has another SHA-256 than its manifest states")
            files[file["kind"]].append(folder / file["path"])
        parts = self.rows(files["part"])
        if table["mode"] == "full":
            self.connection.execute(f"create or replace table {name} as select * exclude (op, restated) from {parts}")
        else:
            for kind in ("deleted", "part"):
                if files[kind]:
                    same = " and ".join(f"{name}.{quoted(column)} = changed.{quoted(column)}" for column in key)
                    self.connection.execute(f"delete from {name} using {self.rows(files[kind])} as changed where {same}")
            self.connection.execute(f"insert into {name} select * exclude (op, restated) from {parts}")
        (count, total) = self.connection.execute(
            f"select count(*), coalesce(sum(row_digest::hugeint), 0)::text from {name}"
        ).fetchone()
        if (count, total) != (table["after"]["rows"], table["after"]["digestSum"]):
            raise LoadRefused(f"{table['name']} has other rows than the manifest states after the load")

    @staticmethod
    def rows(files: list[pathlib.Path]) -> str:
        return f"read_parquet([{', '.join(map(literal, files))}])"

    def note(self, name: str, manifest: dict):
        base = manifest["base"]
        self.connection.execute(
            "insert into load select coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?::timestamptz, ?, now() from load",
            [
                name, base and base["manifestSha256"], manifest["range"]["from"], manifest["range"]["to"],
                manifest["asOf"], manifest["rulesDigest"],
            ],
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="warehouse.duckdb", help="file of the database (default: %(default)s)")
    parser.add_argument("--schema", default="subledger", help="schema of the tables (default: %(default)s)")
    parser.add_argument("manifests", nargs="+", type=pathlib.Path, metavar="MANIFEST")
    options = parser.parse_args()
    try:
        loader = Loader(options.database, options.schema)
        for path in options.manifests:
            print(f"{path}: {'loaded' if loader.load(path) else 'loaded before'}")
    except (LoadRefused, OSError, KeyError, ValueError, duckdb.Error) as error:
        sys.exit(f"load: {error}")


if __name__ == "__main__":
    main()

"""Loads exports one after the other, as a warehouse does, and checks each against its manifest.

warehouse.py MANIFEST…      prints a line of JSON with the content of each table after the last load
warehouse.py --refuse MANIFEST…   the last load must be refused
warehouse.py --restated BASE AGAIN INCREMENT
                            the rows that the increment marks as restated must be those that differ between the base and
                            an export of the same instant with the events and rules of the increment

Every digest is computed again from the values that a reader of the format returns, without code of the ledger.
"""

import csv
import datetime
import decimal
import hashlib
import json
import pathlib
import sys

import pyarrow
import pyarrow.parquet

SCHEMA = 2
CONTROL = ("row_digest", "op", "restated")


class Gap(Exception):
    """A load that does not continue the newest one."""


def text(value, kind: str) -> str:
    """The text of a value in CSV. `kind` is the type of a Parquet column, or of a JSON value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, (dict, list)):
        return canonical(value)
    return str(value)


def canonical(value) -> str:
    """The form of RFC 8785 of values that have no fractions."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def digest(cells: list[str | None]) -> int:
    hashed = hashlib.sha256()
    for cell in cells:
        if cell is None:
            hashed.update(b"\0")
        else:
            data = cell.encode()
            hashed.update(b"\1" + len(data).to_bytes(4, "little") + data)
    return int.from_bytes(hashed.digest()[:8], "little", signed=True)


def read(path: pathlib.Path) -> list[dict[str, str | None]]:
    """The rows of a file, each value as its text in CSV."""
    if path.suffix == ".parquet":
        table = pyarrow.parquet.read_table(path)
        return [
            {name: None if value is None else text(value, name) for name, value in row.items()}
            for row in table.to_pylist()
        ]
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        return [{name: None if value is None else text(value, name) for name, value in row.items()} for row in rows]
    with path.open(newline="", encoding="utf-8") as file:
        return [{name: value or None for name, value in row.items()} for row in csv.DictReader(file)]


class Warehouse:
    def __init__(self):
        self.tables: dict[str, dict[tuple, list]] = {}
        self.loads: list[str] = []

    def load(self, path: pathlib.Path):
        data = path.read_bytes()
        name = hashlib.sha256(data).hexdigest()
        manifest = json.loads(data)
        assert manifest["schema"] == SCHEMA and canonical(manifest).encode() == data
        if name in self.loads:
            return
        base = manifest["base"]
        if base is not None and (not self.loads or base["manifestSha256"] != self.loads[-1]):
            raise Gap(path)
        for table in manifest["tables"]:
            self.load_table(path.parent, table)
        self.loads.append(name)

    def load_table(self, folder: pathlib.Path, table: dict):
        rows = {} if table["mode"] == "full" else self.tables[table["name"]]
        files = {kind: [file for file in table["files"] if file["kind"] == kind] for kind in ("part", "deleted")}
        listed = {folder / file["path"] for file in table["files"]}
        assert listed == set((folder / table["name"]).iterdir()), "other files"
        upserts = deletes = restated = 0
        for file in files["deleted"]:
            for row in self.rows(folder, file):
                restated += row.pop("restated") == "true"
                del rows[tuple(row.values())]
                deletes += 1
        last = None
        for file in files["part"]:
            for row in self.rows(folder, file):
                key = tuple(row[name] for name in table["key"])
                stated, change, again = (row.pop(name) for name in CONTROL)
                cells = list(row.values())
                assert int(stated) == digest(cells), (table["name"], row)
                assert (change == "insert") == (key not in rows), (table["name"], change, key)
                assert rows.get(key) != cells, "nothing changed"
                rows[key] = cells
                upserts, restated = upserts + 1, restated + (again == "true")
        after = {"rows": len(rows), "digestSum": str(sum(digest(cells) for cells in rows.values()))}
        assert after == table["after"], (table["name"], after, table["after"])
        assert (upserts, deletes, restated) == (table["upserts"], table["deletes"], table["restated"]), table["name"]
        self.tables[table["name"]] = rows

    @staticmethod
    def rows(folder: pathlib.Path, file: dict) -> list[dict]:
        data = (folder / file["path"]).read_bytes()
        assert len(data) == file["bytes"] and hashlib.sha256(data).hexdigest() == file["sha256"], file["path"]
        rows = read(folder / file["path"])
        assert len(rows) == file["rows"], file["path"]
        return rows

    def content(self) -> dict:
        """The rows of each table, ordered by key, as one digest."""
        return {
            name: hashlib.sha256(canonical([rows[key] for key in sorted(rows)]).encode()).hexdigest()
            for name, rows in self.tables.items()
        }


LOG_TABLES = {
    "events", "rules", "catalog", "rates", "closes", "transactions", "renewal_infos", "transitions",
}


def check_restated(base: pathlib.Path, again: pathlib.Path, increment: pathlib.Path):
    """Prints the number of rows that are restated and of those that are not."""
    before, after = Warehouse(), Warehouse()
    before.load(base)
    after.load(again)
    counts = {True: 0, False: 0}
    for table in json.loads(increment.read_bytes())["tables"]:
        if not table["name"] in LOG_TABLES:
            old, new = before.tables[table["name"]], after.tables[table["name"]]
            for file in table["files"]:
                for row in Warehouse.rows(increment.parent, file):
                    key = tuple(row[name] for name in table["key"])
                    is_restated = old.get(key) != new.get(key)
                    assert (row["restated"] == "true") == is_restated, (table["name"], key)
                    counts[is_restated] += 1
    print(json.dumps([counts[True], counts[False]]))


def main(arguments: list[str]):
    if arguments[0] == "--restated":
        check_restated(*map(pathlib.Path, arguments[1:]))
        return
    is_refused = arguments[:1] == ["--refuse"]
    *manifests, last = [pathlib.Path(argument) for argument in arguments[is_refused:]]
    warehouse = Warehouse()
    for manifest in manifests:
        warehouse.load(manifest)
    try:
        warehouse.load(last)
    except Gap:
        assert is_refused, last
    else:
        assert not is_refused, last
    print(json.dumps(warehouse.content(), sort_keys=True))


main(sys.argv[1:])

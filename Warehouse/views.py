#!/usr/bin/env python3
"""Prints the models of this package as plain SQL, for DuckDB and PostgreSQL alike. dbt is not needed.

views.py | psql warehouse
views.py --tables subledger --views analytics | duckdb warehouse.duckdb
"""

import argparse
import csv
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = re.compile(r"\{\{ source\('subledger', '(\w+)'\) \}\}")
REFERENCE = re.compile(r"\{\{ ref\('(\w+)'\) \}\}")


def models() -> dict[str, str]:
    """The queries by name, each after those that it refers to."""
    queries = {path.stem: path.read_text() for path in sorted(FOLDER.glob("models/**/*.sql"))}
    ordered: dict[str, str] = {}

    def add(name: str):
        if name in queries and name not in ordered:
            for other in REFERENCE.findall(queries[name]):
                add(other)
            ordered[name] = queries[name]

    for name in queries:
        add(name)
    return ordered


def seeds(views: str) -> list[str]:
    """The seeds as views of values."""
    statements = []
    for path in sorted(FOLDER.glob("seeds/*.csv")):
        header, *rows = csv.reader(path.open(newline="", encoding="utf-8"))
        values = ",\n    ".join("(" + ", ".join(f"'{value}'" for value in row) + ")" for row in rows)
        statements.append(
            f"create or replace view {views}.{path.stem} as\nselect * from (values\n    {values}\n)"
            f" as rows ({', '.join(header)});"
        )
    return statements


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default="subledger", help="schema of the exported tables (default: %(default)s)")
    parser.add_argument("--views", default="analytics", help="schema of the views (default: %(default)s)")
    options = parser.parse_args()
    print(f"create schema if not exists {options.views};\n")
    print("\n\n".join(seeds(options.views)))
    for name, query in models().items():
        query = SOURCE.sub(rf"{options.tables}.\1", query)
        query = REFERENCE.sub(rf"{options.views}.\1", query)
        print(f"\ncreate or replace view {options.views}.{name} as\n{query.rstrip()};")


if __name__ == "__main__":
    main()

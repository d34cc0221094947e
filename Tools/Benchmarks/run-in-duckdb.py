"""DuckDB beside the benchmarks, over the tables of a folder.

run-in-duckdb.py convert FOLDER   writes each CSV file as Parquet, and removes it
run-in-duckdb.py time SQL FOLDER  prints the seconds of a query over the Parquet files, then its rows as CSV
run-in-duckdb.py write THREADS FOLDER  writes the rows of the Parquet files, read before, as one Parquet file with the
                                  same compression; prints the seconds and the rows
"""

import csv
import pathlib
import sys
import time

import duckdb


def convert(folder):
    connection = duckdb.connect()
    for table in sorted(folder.glob("*.csv")):
        # Ids are text, although all of the sample are numbers. Empty columns have no type of their own.
        columns = [column for column, *_ in connection.execute(f"describe from read_csv('{table}')").fetchall()]
        types = {column: "varchar" for column in columns if column.endswith("Id") or column == "previous"}
        types |= {column: "bigint" for column in columns if column.endswith("Date")}
        types = f", types = {types}" if types else ""
        connection.execute(
            f"copy (from read_csv('{table}', nullstr = ''{types})) to '{table.with_suffix('.parquet')}' (format parquet)"
        )
        table.unlink()


def measure(query, folder):
    connection = duckdb.connect()
    for table in sorted(folder.glob("*.parquet")):
        connection.execute(f"create view {table.stem} as from '{table}'")
    start = time.monotonic()
    rows = connection.execute(query).fetchall()
    print(time.monotonic() - start)
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)


def write(threads, folder):
    connection = duckdb.connect(config={"threads": threads})
    connection.execute(f"create table rows as from '{folder}/*/part-*.parquet'")
    connection.execute("set preserve_insertion_order = true")
    written = folder / "duckdb.parquet"
    start = time.monotonic()
    connection.execute(f"copy rows to '{written}' (format parquet, compression snappy)")
    print(time.monotonic() - start)
    print(connection.execute("select count(*) from rows").fetchone()[0])
    written.unlink()


folder = pathlib.Path(sys.argv[-1])
if sys.argv[1] == "convert":
    convert(folder)
elif sys.argv[1] == "write":
    write(int(sys.argv[2]), folder)
else:
    measure(pathlib.Path(sys.argv[2]).read_text(), folder)

"""Compares files of a table with the values that a test expects: compare.py EXPECTED FILE...

EXPECTED has the columns in its first line, [[NAME, TYPE, NULLABLE]...], and then the texts of each row. Prints the
number of rows of each row group of Parquet files, and D for each column chunk with a dictionary, P for the others.
"""

import csv
import datetime
import decimal
import json
import sys

import duckdb
import pyarrow
import pyarrow.parquet

csv.field_size_limit(1 << 30)
with open(sys.argv[1], encoding="utf-8", newline="\n") as lines:
    columns = json.loads(next(lines))
    rows = [json.loads(line) for line in lines]
files = sys.argv[2:]
kind = files[0].rsplit(".", 1)[1]
epoch = datetime.datetime(1970, 1, 1)

arrow_types = {
    "text": pyarrow.string(),
    "hex": pyarrow.string(),
    "int64": pyarrow.int64(),
    "int32": pyarrow.int32(),
    "boolean": pyarrow.bool_(),
    "instant": pyarrow.timestamp("ms", tz="UTC"),
    "date": pyarrow.date32(),
    "money": pyarrow.decimal128(18, 3),
    "rate": pyarrow.decimal128(18, 9),
    "json": pyarrow.json_(pyarrow.string()),
}
duck_types = {
    "text": "VARCHAR",
    "hex": "VARCHAR",
    "int64": "BIGINT",
    "int32": "INTEGER",
    "boolean": "BOOLEAN",
    "instant": "TIMESTAMP WITH TIME ZONE",
    "date": "DATE",
    "money": "DECIMAL(18,3)",
    "rate": "DECIMAL(18,9)",
    "json": "JSON",
}
logical_types = {
    "text": "String",
    "hex": "String",
    "int64": "None",
    "int32": "None",
    "boolean": "None",
    "instant": "Timestamp(isAdjustedToUTC=true, timeUnit=milliseconds, "
    "is_from_converted_type=false, force_set_converted_type=false)",
    "date": "Date",
    "money": "Decimal(precision=18, scale=3)",
    "rate": "Decimal(precision=18, scale=9)",
    "json": "JSON",
}


def milliseconds(text):
    return (datetime.datetime.fromisoformat(text[:-1]) - epoch) // datetime.timedelta(milliseconds=1)


def value(text, type):
    """The value of a text, numbers as Parquet stores them."""
    if text is None:
        return None
    if type in ("int64", "int32"):
        return int(text)
    if type == "boolean":
        return {"true": True, "false": False}[text]
    if type == "instant":
        return milliseconds(text)
    if type == "date":
        return milliseconds(text + "T00:00:00.000Z") // 86_400_000
    if type in ("money", "rate"):
        return int(text.replace(".", ""))
    return text


def check(found, expected, what):
    assert len(found) == len(expected), f"{what}: {len(found)} rows, expected {len(expected)}"
    for number, (left, right) in enumerate(zip(found, expected)):
        assert left == right and type(left) is type(right), f"{what}, row {number}: {left!r}, expected {right!r}"


expected = [[value(row[i], column[1]) for row in rows] for i, column in enumerate(columns)]


def check_arrow():
    parts = []
    start = 0
    for file in files:
        reader = pyarrow.parquet.ParquetFile(file)
        metadata = reader.metadata
        assert metadata.created_by == "subledger-parquet version 1"
        for group in range(metadata.num_row_groups):
            end = start + metadata.row_group(group).num_rows
            check_statistics(metadata.row_group(group), start, end)
            chunks = [metadata.row_group(group).column(i) for i in range(len(columns))]
            kinds = "".join("D" if chunk.has_dictionary_page else "P" for chunk in chunks)
            print(end - start, kinds)
            start = end
        for i, (name, type, nullable) in enumerate(columns):
            column = reader.schema.column(i)
            assert (column.name, column.max_definition_level) == (name, 1 if nullable else 0), name
            assert str(column.logical_type) == logical_types[type], f"{name}: {column.logical_type}"
        parts.append(reader.read())
    table = pyarrow.concat_tables(parts)
    for i, (name, type, nullable) in enumerate(columns):
        field = table.schema.field(i)
        assert (field.name, field.type, field.nullable) == (name, arrow_types[type], nullable), str(field)
        column = table.column(i)
        if type == "instant":
            column = column.cast(pyarrow.int64())
        if type == "date":
            column = column.cast(pyarrow.int32())
        found = column.to_pylist()
        if type in ("money", "rate"):
            found = [None if number is None else int(number.scaleb(3 if type == "money" else 9)) for number in found]
        check(found, expected[i], f"Arrow, {name}")
    assert start == len(rows)


def check_statistics(group, start, end):
    for i, (name, type, _) in enumerate(columns):
        statistics = group.column(i).statistics
        values = [value for value in expected[i][start:end] if value is not None]
        assert statistics.null_count == end - start - len(values), f"null count of {name}"
        is_text = type in ("text", "hex", "json")
        if is_text:
            values = [value.encode() for value in values]
        is_long = is_text and bool(values) and max(len(min(values)), len(max(values))) > 128
        assert statistics.has_min_max == (bool(values) and not is_long), f"bounds of {name}"
        # Arrow has no bounds of decimals in Python; DuckDB below has.
        if not statistics.has_min_max or type in ("money", "rate"):
            continue
        found = [statistics.min_raw, statistics.max_raw]
        if is_text:
            found = [bound if isinstance(bound, bytes) else bound.encode() for bound in found]
        assert found == [min(values), max(values)], f"bounds of {name}: {found}, expected {min(values), max(values)}"


def check_duck():
    source = f"read_parquet({files})"
    described = duckdb.sql(f"describe select * from {source}").fetchall()
    assert [(row[0], row[1]) for row in described] == [(name, duck_types[type]) for name, type, _ in columns], described
    forms = {"instant": "epoch_ms({0})", "date": "{0} - date '1970-01-01'", "json": "{0}::varchar"}
    fields = ", ".join(forms.get(type, "{0}").format(name) for name, type, _ in columns)
    found = duckdb.sql(f"select {fields} from {source}").fetchall()
    for i, (name, type, _) in enumerate(columns):
        column = [row[i] for row in found]
        if type in ("money", "rate"):
            column = [None if number is None else int(number.scaleb(3 if type == "money" else 9)) for number in column]
        check(column, expected[i], f"DuckDB, {name}")
    start = 0
    groups = duckdb.sql(
        "select path_in_schema, row_group_num_rows, stats_min_value, stats_max_value, stats_null_count"
        f" from parquet_metadata({files}) order by file_name, row_group_id, column_id"
    ).fetchall()
    for number, (name, count, least, greatest, nulls) in enumerate(groups):
        i = number % len(columns)
        if columns[i][1] in ("money", "rate"):
            values = [value for value in expected[i][start : start + count] if value is not None]
            assert nulls == count - len(values)
            if values:
                digits = 3 if columns[i][1] == "money" else 9
                bounds = [int(decimal.Decimal(bound).scaleb(digits)) for bound in (least, greatest)]
                assert bounds == [min(values), max(values)], f"bounds of {name}: {bounds}"
        if i == len(columns) - 1:
            start += count
    # The bounds are used: a filter beside them finds what there is.
    for i, (name, type, _) in enumerate(columns):
        values = sorted(value for value in expected[i] if value is not None)
        if type == "int64" and values:
            for bound in (values[0], values[-1]):
                (hits,) = duckdb.sql(f"select count(*) from {source} where {name} = {bound}").fetchone()
                assert hits == values.count(bound), f"{name} = {bound}"


def check_csv():
    with open(files[0], "rb") as file:
        assert file.read().endswith(b"\r\n")
    with open(files[0], encoding="utf-8", newline="") as file:
        found = list(csv.reader(file, strict=True))
    assert found[0] == [name for name, _, _ in columns]
    check(found[1:], [[cell or "" for cell in row] for row in rows], "csv")
    types = "{" + ", ".join(f"'{name}': 'VARCHAR'" for name, _, _ in columns) + "}"
    options = "header=true, delim=',', quote='\"', escape='\"', nullstr='', new_line='\\r\\n', auto_detect=false"
    found = duckdb.sql(f"select * from read_csv('{files[0]}', {options}, columns={types})").fetchall()
    check([list(row) for row in found], rows, "DuckDB, csv")


def check_json():
    with open(files[0], "rb") as file:
        lines = file.read().split(b"\n")
    assert lines.pop() == b""
    found = [json.loads(line, object_pairs_hook=lambda pairs: pairs) for line in lines]

    def member(text, type):
        if text is None:
            return None
        if type == "json":
            return json.loads(text, object_pairs_hook=lambda pairs: pairs)
        return value(text, type) if type in ("int64", "int32", "boolean") else text

    check(
        found,
        [[(name, member(cell, type)) for (name, type, _), cell in zip(columns, row)] for row in rows],
        "json",
    )
    types = ", ".join(f"{name}: '{'JSON' if type == 'json' else 'VARCHAR'}'" for name, type, _ in columns)
    options = f"format='newline_delimited', columns={{{types}}}"
    found = duckdb.sql(f"select * from read_json('{files[0]}', {options})").fetchall()
    check([list(row) for row in found], rows, "DuckDB, json")


if kind == "parquet":
    check_arrow()
    check_duck()
elif kind == "csv":
    check_csv()
else:
    check_json()

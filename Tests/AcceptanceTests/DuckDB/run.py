"""Runs a SQL file over the CSV files of a folder, each a table, and prints the last result as CSV: run.py SQL FOLDER"""

import csv
import pathlib
import sys

import duckdb

query, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
connection = duckdb.connect()
for table in sorted(folder.glob("*.csv")):
    connection.execute(
        f"create table {table.stem} as select * from read_csv('{table}', header = true, sample_size = -1, nullstr = '',"
        " types = {'originalTransactionId': 'varchar', 'transactionId': 'varchar', 'previous': 'varchar',"
        " 'appTransactionId': 'varchar'})"
        if table.stem == "transactions"
        else f"create table {table.stem} as select * from read_csv('{table}', header = true, sample_size = -1, nullstr = '')"
    )
result = connection.execute(query.read_text())
rows = csv.writer(sys.stdout, lineterminator="\n")
rows.writerow(column[0] for column in result.description)
rows.writerows(result.fetchall())

"""Databases with exported tables, and the views of the dbt package in them."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

import duckdb
import psycopg
import yaml
from dbt.cli.main import dbtRunner

import answers


class Package:
    """The files of the dbt package."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.names = sorted(path.stem for path in folder.glob("models/**/*.sql"))
        command = [sys.executable, folder / "views.py", "--tables", "TABLES", "--views", "VIEWS"]
        self.statements = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def views(self, tables: str, views: str) -> str:
        """The statements that make the views without dbt, in a schema for another."""
        return self.statements.replace("TABLES", tables).replace("VIEWS", views)

    def files(self) -> list[dict]:
        return [yaml.safe_load(path.read_text()) for path in sorted(self.folder.glob("models/**/*.yml"))]

    def types(self) -> dict[str, dict[str, str]]:
        """The types of the columns of the tables as the package describes them."""
        tables = [table for file in self.files() for source in file.get("sources", []) for table in source["tables"]]
        return {table["name"]: {column["name"]: column["data_type"] for column in table["columns"]} for table in tables}

    def documented(self) -> dict[str, list[str]]:
        """The columns of each view as the package describes them."""
        models = [model for file in self.files() for model in file.get("models", [])]
        return {model["name"]: [column["name"] for column in model["columns"]] for model in models}

    def undescribed(self, connection, schema: str) -> list[str]:
        """The tables of a schema that have other columns than the package describes."""
        rows = connection.execute(f"""
            select table_name, column_name from information_schema.columns
            where table_schema = '{schema}' and table_name not in ('load', 'table_version')
            order by table_name, ordinal_position""").fetchall()
        found: dict[str, list[str]] = {}
        for table, column in rows:
            found.setdefault(table, []).append(column)
        described = {table: list(columns) for table, columns in self.types().items() if table != "load"}
        return [
            f"{table} has the columns {found.get(table)}, described {described.get(table)}"
            for table in sorted(set(found) | set(described)) if found.get(table) != described.get(table)
        ]

    def columns(self, connection) -> dict[str, list[str]]:
        """The columns of each view in the schema in use."""
        return {
            name: [column[0] for column in connection.execute(f"select * from {name} limit 0").description]
            for name in self.names
        }

    def content(self, connection, views: str) -> dict[str, str]:
        """A digest of the rows of each view, in any order."""
        found = {}
        for name in self.names:
            rows = connection.execute(f"select * from {views}.{name}").fetchall()
            text = "\n".join(sorted(repr([answers.plain(cell) for cell in row]) for row in rows))
            found[name] = f"{len(rows)} {hashlib.sha256(text.encode()).hexdigest()}"
        return found


class Warehouse:
    """A database that dbt writes to."""

    name: str

    def __init__(self, package: Package, folder: pathlib.Path):
        self.package, self.folder = package, folder

    def environment(self) -> dict[str, str]:
        """The variables that the profile of the package reads."""
        raise NotImplementedError

    def tables(self, ledger: str) -> str:
        """The schema of the tables of a ledger."""
        return ledger

    def build(self, tables: str, views: str, manifest: str):
        """Runs `dbt build`, which also runs the tests of the package."""
        os.environ |= {"SUBLEDGER_VIEWS": views, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"} | self.environment()
        variables = {"subledger_schema": tables, "manifest": json.loads(pathlib.Path(manifest).read_bytes())}
        result = dbtRunner().invoke([
            "build", "--quiet", "--project-dir", str(self.package.folder), "--profiles-dir", str(self.package.folder),
            "--target", self.name, "--vars", json.dumps(variables), "--target-path", str(self.folder / "target"),
            "--log-path", str(self.folder / "logs"),
        ])
        assert result.success, f"dbt build on {self.name} failed: {result.exception}"
        assert len(result.result) > 2 * len(self.package.names), "dbt did not run the tests"


class DuckDB(Warehouse):
    name = "duckdb"

    def __init__(self, package: Package, folder: pathlib.Path, name: str):
        super().__init__(package, folder)
        # dbt does not close its database, and another process cannot load into it then.
        self.path = folder / f"file_{name}.duckdb"

    def environment(self) -> dict[str, str]:
        return {"SUBLEDGER_DUCKDB": str(self.path)}

    def connection(self) -> duckdb.DuckDBPyConnection:
        return duckdb.connect(str(self.path))

    @staticmethod
    def use(connection: duckdb.DuckDBPyConnection, schema: str):
        connection.execute(f"use {schema}")

    def run_loader(self, schema: str, manifests: list[str]) -> subprocess.CompletedProcess:
        command = [sys.executable, self.package.folder / "load.py", "--database", self.path, "--schema", schema]
        return subprocess.run([*command, *manifests], capture_output=True, text=True, check=False)

    def load(self, schema: str, manifests: list[str]) -> list[str]:
        run = self.run_loader(schema, manifests)
        return [] if run.returncode == 0 else [f"load.py failed: {run.stderr}"]

    def refusals(self, schema: str, manifests: list[str]) -> list[str]:
        """Checks that a second load changes nothing, and that increments are refused without their base."""
        again, others = self.run_loader(schema, manifests), self.run_loader(f"{schema}_other", manifests[1:])
        wrong = []
        if again.returncode != 0 or again.stdout.count("loaded before") != len(manifests):
            wrong.append(f"load.py loaded again: {again}")
        if others.returncode != 1 or "export_gap" not in others.stderr:
            wrong.append(f"load.py loaded increments without their base: {others}")
        return wrong


class PostgreSQL(Warehouse):
    name = "postgres"

    def __init__(self, package: Package, folder: pathlib.Path, address: str):
        super().__init__(package, folder)
        self.address = address

    def environment(self) -> dict[str, str]:
        names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD", "dbname": "PGDATABASE"}
        stated = psycopg.conninfo.conninfo_to_dict(self.address)
        return {variable: str(stated[name]) for name, variable in names.items() if name in stated}

    def connection(self) -> psycopg.Connection:
        return psycopg.connect(self.address)

    @staticmethod
    def use(connection: psycopg.Connection, schema: str):
        connection.execute(f"set search_path to {schema}")

    def tables(self, ledger: str) -> str:
        return "subledger"

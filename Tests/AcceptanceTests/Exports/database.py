"""Runs a PostgreSQL server of its own on a free port of this machine, and reads what is loaded into it with psql.

database.py PASSWORD      prints the port and the name of the superuser, then answers each line of its input:
  create NAME             creates a database
  sql NAME STATEMENT      runs a statement as the superuser; its rows, tab-separated, as a list of lists of texts
  hold NAME STATEMENT     runs a statement in a transaction, which stays open until `release`
  release NAME            ends the transaction of `hold`
  content NAME            the content of each table of the schema subledger as one digest, in the form of warehouse.py,
                          after each row_digest was computed again from the values of its row

It ends with its input.
"""

import csv
import glob
import hashlib
import io
import json
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile

USER = "subledger"


def programs() -> pathlib.Path:
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    path = found[-1] if found else shutil.which("initdb")
    assert path, "run Tools/peers"
    return pathlib.Path(path).parent


def canonical(value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def digest(cells: list[str | None]) -> int:
    hashed = hashlib.sha256()
    for cell in cells:
        data = (cell or "").encode()
        hashed.update(b"\0" if cell is None else b"\1" + len(data).to_bytes(4, "little") + data)
    return int.from_bytes(hashed.digest()[:8], "little", signed=True)


class Server:
    def __init__(self, password: str):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="subledger-postgres-"))
        self.bin, self.password, self.held = programs(), password, {}
        # The server refuses to run as root.
        self.owner = {}
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            self.owner = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        secret = self.folder / "password"
        secret.write_text(password)
        if self.owner:
            os.chown(secret, self.owner["user"], self.owner["group"])
        self.run(
            self.bin / "initdb", "--no-sync", "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256",
            f"--username={USER}", f"--pwfile={secret}", "--pgdata=" + str(self.folder / "data"), **self.owner)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        log = (self.folder / "log").open("w")
        self.process = subprocess.Popen(
            [self.bin / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-h", "127.0.0.1",
             "-k", self.folder, "-c", "fsync=off", "-c", "max_connections=40", "-c", "shared_buffers=32MB"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self.owner)
        self.environment = dict(
            os.environ, PGHOST="127.0.0.1", PGPORT=str(self.port), PGUSER=USER, PGPASSWORD=password,
            PGTZ="Asia/Tokyo", PGDATESTYLE="German", PGCLIENTENCODING="UTF8")
        while subprocess.run([self.bin / "pg_isready", "-q"], env=self.environment).returncode != 0:
            assert self.process.poll() is None, (self.folder / "log").read_text()

    def run(self, *command, **options) -> str:
        # The folder of the caller may be closed to the owner of the server.
        finished = subprocess.run(
            command, cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, **options)
        assert finished.returncode == 0, finished.stderr.decode()
        # Text mode would change line ends in values.
        return finished.stdout.decode()

    def psql(self, database: str, statement: str, *options: str) -> str:
        return self.run(
            self.bin / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", *options, "-d", database, "-c", statement,
            env=self.environment)

    def rows(self, database: str, statement: str) -> list[list[str]]:
        text = self.psql(database, statement, "-A", "-t", "-F", "\t")
        return [line.split("\t") for line in text.splitlines()]

    def hold(self, database: str, statement: str):
        held = self.held[database] = subprocess.Popen(
            [self.bin / "psql", "-X", "-q", "-A", "-t", "-d", database], cwd=self.folder, env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        held.stdin.write(f"BEGIN;\n{statement};\nSELECT 'held';\n")
        held.stdin.flush()
        assert held.stdout.readline() == "held\n"

    def release(self, database: str):
        self.held.pop(database).communicate("ROLLBACK;\n")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def content(self, database: str) -> dict:
        tables = self.rows(database, "SELECT name FROM subledger.table_version ORDER BY name")
        return {name: self.table(database, name) for (name,) in tables}

    def table(self, database: str, name: str) -> str:
        columns = self.rows(
            database,
            "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnum = ANY(i.indkey) "
            "FROM pg_attribute a, pg_index i "
            f"WHERE a.attrelid = 'subledger.\"{name}\"'::regclass AND i.indrelid = a.attrelid AND i.indisprimary "
            "AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum")
        assert columns[-1][0] == "row_digest", columns
        values = ", ".join(form(column, kind) for column, kind, _ in columns)
        text = self.psql(database, f'COPY (SELECT {values} FROM subledger."{name}") TO STDOUT (FORMAT csv)')
        keys = [index for index, column in enumerate(columns) if column[2] == "t"]
        rows = {}
        for row in csv.reader(io.StringIO(text, newline="")):
            cells = [
                None if cell == "" else canonical(json.loads(cell)) if columns[index][1] == "jsonb" else cell
                for index, cell in enumerate(row)
            ]
            stated = int(cells.pop())
            assert stated == digest(cells), (name, cells)
            rows[tuple(cells[index] for index in keys)] = cells
        return hashlib.sha256(canonical([rows[key] for key in sorted(rows)]).encode()).hexdigest()


def form(column: str, kind: str) -> str:
    """The text of a value in CSV of the ledger."""
    column = f'"{column}"'
    if kind in ("timestamp(3) with time zone", "date"):
        moment, rest = (column, "-MM-DD") if kind == "date" else (
            f"{column} AT TIME ZONE 'UTC'", '-MM-DD"T"HH24:MI:SS.MS"Z"')
        # PostgreSQL calls the year 0000 the first year BC.
        year = f"extract(year FROM {moment})"
        return f"lpad(({year} + ({year} < 0)::int)::text, 4, '0') || to_char({moment}, '{rest}')"
    if kind == "boolean":
        return f"CASE WHEN {column} THEN 'true' WHEN NOT {column} THEN 'false' END"
    return f"{column}::text"


def answer(server: Server, line: str):
    name, _, rest = line.partition(" ")
    database, _, statement = rest.partition(" ")
    match name:
        case "create":
            server.psql("postgres", f"CREATE DATABASE {database}")
        case "sql":
            return server.rows(database, statement)
        case "hold":
            server.hold(database, statement)
        case "release":
            server.release(database)
        case "content":
            return server.content(database)


def main():
    server = Server(sys.argv[1])
    try:
        print(server.port, USER, flush=True)
        for line in sys.stdin:
            print(json.dumps(answer(server, line.rstrip("\n")), sort_keys=True), flush=True)
    finally:
        server.stop()


main()

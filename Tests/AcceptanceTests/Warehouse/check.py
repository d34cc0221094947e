"""Loads exports into DuckDB and PostgreSQL, runs `dbt build` on both, and compares the views with the ledger's commands.

check.py PROGRAM PACKAGE FOLDER LEDGER…

PROGRAM is subledger, PACKAGE the folder of the dbt package, FOLDER an empty one for the warehouses. A LEDGER is a JSON
object: {"name", "data", "asOf", "zone", "currency", "isLeewayDefault", "notifications", "targets", "nightly", "full",
"postgres"}. `nightly` are manifests to load one after the other, and `full` is that of one export of everything as of the
instant of the last. `postgres` is the address of a database that has the same loads. dbt runs on the warehouses of `targets`; elsewhere, views.py makes the views. Prints a line of JSON for each
ledger and warehouse: the names, whether dbt ran, the number of comparisons and the number of their rows.
"""

import json
import pathlib
import sys

import answers
import customers
from warehouses import DuckDB, PostgreSQL, Package, Warehouse


class LedgerCheck:
    """The comparisons of one ledger. `wrong` has the differences, in words."""

    def __init__(self, package: Package, program: str, stated: dict):
        self.package, self.stated, self.name = package, stated, stated["name"]
        self.ledger = answers.Ledger(program, stated["data"], stated["asOf"])
        self.comparisons = answers.comparisons(stated["zone"], stated["currency"], stated["isLeewayDefault"])
        self.wrong: list[str] = []

    def note(self, *differences: str):
        self.wrong += [f"{self.name}: {difference}" for difference in differences]

    def run(self, duckdb: DuckDB, postgres: PostgreSQL):
        """Runs all comparisons."""
        manifests = self.stated["nightly"]
        self.note(*duckdb.load(self.name, manifests), *duckdb.load(f"{self.name}_full", [self.stated["full"]]))
        self.note(*duckdb.refusals(self.name, manifests))
        contents = [self.check(warehouse) for warehouse in (duckdb, postgres)]
        self.differ("the warehouses have other rows of", *contents)
        with duckdb.connection() as connection:
            connection.execute(self.package.views(f"{self.name}_full", f"{self.name}_full_views"))
            full = self.package.content(connection, f"{self.name}_full_views")
        self.differ("one load of everything has other rows of", full, contents[0])

    def check(self, warehouse: Warehouse) -> dict[str, str]:
        """Returns the content of the views."""
        tables, plain, built = warehouse.tables(self.name), f"{self.name}_plain", f"{self.name}_views"
        runs_dbt = warehouse.name in self.stated["targets"]
        if runs_dbt:
            warehouse.build(tables, built, self.stated["nightly"][-1])
        with warehouse.connection() as connection:
            self.note(*(f"{warehouse.name}: {text}" for text in self.package.undescribed(connection, tables)))
            connection.execute("set TimeZone = 'America/New_York'")
            connection.execute(self.package.views(tables, plain))
            content = self.package.content(connection, plain)
            # No value depends on the zone of the connection.
            connection.execute("set TimeZone = 'Pacific/Auckland'")
            again = self.package.content(connection, plain)
            self.differ(f"another zone of the connection to {warehouse.name} gives other rows of", content, again)
            if runs_dbt:
                again = self.package.content(connection, built)
                self.differ(f"dbt on {warehouse.name} gives other rows of", content, again)
            warehouse.use(connection, built if runs_dbt else plain)
            count = self.compare(warehouse.name, connection)
            if self.stated["notifications"] is not None:
                self.compare_introductory_offers(warehouse, connection)
        print(json.dumps([self.name, warehouse.name, runs_dbt, len(self.comparisons), count]), flush=True)
        return content

    def differ(self, what: str, left: dict[str, str], right: dict[str, str]):
        self.note(*(f"{what} {view}" for view in left if left[view] != right[view]))

    def compare(self, warehouse: str, connection) -> int:
        """Compares the numbers of the views with those of the commands. Returns the number of rows."""
        count = 0
        for name, comparison in self.comparisons.items():
            found = connection.execute(comparison.query).fetchall()
            count += len(found)
            self.note(*(f"{warehouse}: {text}" for text in answers.compare(self.ledger, name, comparison, found)))
        columns = self.package.columns(connection)
        if columns != self.package.documented():
            self.note(f"{warehouse}: the views have other columns than the package describes")
        if columns["revenuecat_v5"] != answers.REVENUECAT:
            self.note(f"{warehouse}: revenuecat_v5 has other columns than RevenueCat's exports")
        return count

    def compare_introductory_offers(self, warehouse: Warehouse, connection):
        """Compares the eligibility of some customers with `subledger offers`."""
        reasons = set()
        for customer, subscription in sorted(customers.alone(self.stated["notifications"]).items())[:12]:
            offers = self.ledger.answer(["offers", "--customer", customer])["offers"]
            expected = {(offer["group"], offer["eligible"], offer["reason"]) for offer in offers}
            rows = connection.execute(f"""
                select offers.subscription_group, offers.eligible, offers.reason
                from introductory_offers as offers
                inner join {warehouse.tables(self.name)}.subscriptions as subscriptions on offers.account_id = subscriptions.account_id
                where subscriptions.original_transaction_id = '{subscription}'""").fetchall()
            if not rows or not set(rows) <= expected:
                self.note(f"{warehouse.name}: introductory offers of {customer}: {expected}, found {rows}")
            reasons |= {row[2] for row in rows}
        if len(reasons) < 2:
            self.note(f"{warehouse.name}: introductory offers have the reasons {reasons} alone")


def main(program: str, package: str, folder: str, *ledgers: str):
    files, wrong = Package(pathlib.Path(package)), []
    for stated in map(json.loads, ledgers):
        check = LedgerCheck(files, program, stated)
        duckdb = DuckDB(files, pathlib.Path(folder), stated["name"])
        check.run(duckdb, PostgreSQL(files, pathlib.Path(folder), stated["postgres"]))
        wrong += check.wrong
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])

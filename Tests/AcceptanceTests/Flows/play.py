"""Plays one flow of the talks in one form.

play.py SIMULATOR SUBLEDGER FOLDER NUMBER FORM
"""

import pathlib
import sys

import stage

MODULES = ["buying", "receipts", "subscriptions", "reports", "trials", "restoring"]

simulator, subledger, folder, number, form = sys.argv[1:]
for name in MODULES:
    __import__(name)
stage.FLOWS[int(number)](stage.Player(simulator, subledger, pathlib.Path(folder), form))

"""Buying: the payment queue, and whose purchases they are (sessions 704 and 705, "Processing a Transaction")."""

from stage import Player, flow
